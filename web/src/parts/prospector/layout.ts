// Where the nodes of the discovered belt stand on its map: the station in the middle, each ring a hop further
// out, and every branch with room for its leaves, so that ways home never cross.
import type { Belt } from "./belt";
import type { Point } from "./geometry";

export type Placed = { places: ReadonlyMap<number, Point>; rings: number };

type Branch = { index: number; depth: number; children: Branch[]; leaves: number };

/** Places in a square from -1 to 1. Branches keep the order of their numbers, so that a find moves little. */
export function placeNodes(map: Belt["map"], root = 0): Placed {
  const tree = growTree(neighbours(map), root);
  const rings = Math.max(1, depthOf(tree));
  const places = new Map<number, Point>();
  place(tree, 0, 1, rings, places);
  return { places, rings };
}

function neighbours(map: Belt["map"]): Map<number, Set<number>> {
  const next = new Map(map.nodes.map((node) => [node.index, new Set<number>()]));
  for (const { from, to } of map.edges) {
    next.get(from)?.add(to);
    next.get(to)?.add(from);
  }
  return next;
}

/** The tree of shortest ways from the root. */
function growTree(next: ReadonlyMap<number, ReadonlySet<number>>, root: number): Branch {
  const top: Branch = { index: root, depth: 0, children: [], leaves: 0 };
  const seen = new Set([root]);
  for (let ring = [top]; ring.length > 0; ) {
    const outer: Branch[] = [];
    for (const branch of ring)
      for (const index of [...(next.get(branch.index) ?? [])].sort((a, b) => a - b)) {
        if (seen.has(index)) continue;
        seen.add(index);
        const child = { index, depth: branch.depth + 1, children: [], leaves: 0 };
        branch.children.push(child);
        outer.push(child);
      }
    ring = outer;
  }
  countLeaves(top);
  return top;
}

function countLeaves(branch: Branch): number {
  branch.leaves = branch.children.length === 0 ? 1 : branch.children.reduce((sum, child) => sum + countLeaves(child), 0);
  return branch.leaves;
}

function depthOf(branch: Branch): number {
  return branch.children.reduce((most, child) => Math.max(most, depthOf(child)), branch.depth);
}

function place(branch: Branch, from: number, to: number, rings: number, places: Map<number, Point>): void {
  const angle = (from + to) * Math.PI - Math.PI / 2; // the middle of its share of a turn, from the top on
  const reach = branch.depth / rings;
  places.set(branch.index, { x: Math.cos(angle) * reach, y: Math.sin(angle) * reach });
  let start = from;
  for (const child of branch.children) {
    const share = ((to - from) * child.leaves) / branch.leaves;
    place(child, start, start + share, rings, places);
    start += share;
  }
}

/** Every edge once, whichever end it was seen from; the end that the pilot stood at tells its threat. */
export function edgesOnce(map: Belt["map"]): Belt["map"]["edges"] {
  const found = new Map<string, Belt["map"]["edges"][number]>();
  for (const edge of map.edges) {
    const key = edge.from < edge.to ? `${edge.from}-${edge.to}` : `${edge.to}-${edge.from}`;
    const other = found.get(key);
    // Before listening an estimate is exactly the middle, which says nothing: prefer the end that listened.
    if (!other || Math.abs(other.threat - 0.5) < Math.abs(edge.threat - 0.5)) found.set(key, edge);
  }
  return [...found.values()];
}
