// The cells of the grid as faces: only those that can be seen, so that a maze is a few thousand triangles.
import { Cell, cellAt, type Grid } from "./state";

export const WALL_M = 2.2; // taller than a body; the rules give no number
export const PIT_M = 12; // deeper than the fall that ends an episode

/** Four corners each, counter-clockwise from outside. */
export type Faces = { places: number[]; normals: number[]; uvs: number[]; index: number[] };

export type Building = { floor: Faces; walls: Faces; tops: Faces; pits: Faces };

const SIDES = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
] as const; // columns, rows

export function buildGrid(grid: Grid): Building {
  const building: Building = { floor: noFaces(), walls: noFaces(), tops: noFaces(), pits: noFaces() };
  for (let row = 0; row < grid.cells; row++)
    for (let column = 0; column < grid.cells; column++) {
      const cell = cellAt(grid, column, row);
      if (cell === Cell.Floor) addLevel(building.floor, grid, column, row, 0);
      if (cell === Cell.Wall) addLevel(building.tops, grid, column, row, WALL_M);
      for (const side of SIDES) addSide(building, grid, column, row, side);
    }
  return building;
}

/** Between a cell and its neighbour: a wall's side toward what is no wall, a pit's side where the floor ends. */
function addSide({ walls, pits }: Building, grid: Grid, column: number, row: number, side: (typeof SIDES)[number]): void {
  const cell = cellAt(grid, column, row);
  const beside = cellAt(grid, column + side[0], row + side[1]);
  if (cell === Cell.Wall && beside !== Cell.Wall) addUpright(walls, grid, column, row, side, 0, WALL_M);
  if (cell !== Cell.Pit && beside === Cell.Pit) addUpright(pits, grid, column, row, side, -PIT_M, 0);
}

function noFaces(): Faces {
  return { places: [], normals: [], uvs: [], index: [] };
}

function edges({ cells, size }: Grid, column: number, row: number): { low: readonly [number, number]; high: readonly [number, number] } {
  const half = 0.5 * size * cells;
  return { low: [column * size - half, row * size - half], high: [(column + 1) * size - half, (row + 1) * size - half] };
}

function addLevel(faces: Faces, grid: Grid, column: number, row: number, y: number): void {
  const { low: [x0, z0], high: [x1, z1] } = edges(grid, column, row);
  addFace(faces, [[x0, y, z1], [x1, y, z1], [x1, y, z0], [x0, y, z0]], [0, 1, 0]);
}

/** The face of a cell toward one of its sides, seen from there. */
function addUpright(faces: Faces, grid: Grid, column: number, row: number, [dx, dz]: (typeof SIDES)[number], low: number, high: number): void {
  const { low: [x0, z0], high: [x1, z1] } = edges(grid, column, row);
  const [from, to] =
    dx > 0 ? [[x1, z1], [x1, z0]] : dx < 0 ? [[x0, z0], [x0, z1]] : dz > 0 ? [[x0, z1], [x1, z1]] : [[x1, z0], [x0, z0]];
  const [ax = 0, az = 0] = from as number[];
  const [bx = 0, bz = 0] = to as number[];
  addFace(faces, [[ax, low, az], [bx, low, bz], [bx, high, bz], [ax, high, az]], [dx, 0, dz]);
}

function addFace({ places, normals, uvs, index }: Faces, corners: readonly (readonly [number, number, number])[], normal: readonly [number, number, number]): void {
  const first = places.length / 3;
  corners.forEach((corner) => {
    places.push(...corner);
    normals.push(...normal);
  });
  uvs.push(0, 0, 1, 0, 1, 1, 0, 1);
  index.push(first, first + 1, first + 2, first, first + 2, first + 3);
}
