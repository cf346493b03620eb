// The belt as far as the pilot knows it: nodes visited, nodes seen from next door, and the ways between them.
// Ways out of the present node carry their slot's number and are the keys 1 to 6.
import { useMemo } from "react";
import type { Belt, MapEdge, MapNode, Way } from "./belt";
import { threatLevel, type Point } from "./geometry";
import { edgesOnce, placeNodes } from "./layout";
import { amount, count, nodeName, percent } from "./words";
import type { Pilot } from "./SectorView";

const SIZE = 260;
const REACH = SIZE / 2 - 22;

type Props = { belt: Belt; pilot: Pilot; onTravel?: (slot: number) => void };

export function BeltMap({ belt, pilot, onTravel }: Props) {
  const { places, rings } = useMemo(() => placeNodes(belt.map), [belt.map]);
  const at = (index: number): Point => {
    const place = places.get(index) ?? { x: 0, y: 0 };
    return { x: SIZE / 2 + place.x * REACH, y: SIZE / 2 + place.y * REACH };
  };
  const reachable = new Map(belt.ways.map((way) => [way.node, way]));
  return (
    <svg className="beltmap" viewBox={`0 0 ${SIZE} ${SIZE}`} role="img" aria-label={describe(belt)}>
      <rect className="sector-space" width={SIZE} height={SIZE} />
      <g className="beltmap-rings" aria-hidden="true">
        {Array.from({ length: rings }, (_, i) => (
          <circle key={i} cx={SIZE / 2} cy={SIZE / 2} r={(REACH * (i + 1)) / rings} />
        ))}
      </g>
      {edgesOnce(belt.map).map((edge) => (
        <Edge key={`${edge.from}-${edge.to}`} edge={edge} from={at(edge.from)} to={at(edge.to)} here={edge.from === belt.node || edge.to === belt.node} />
      ))}
      {belt.map.nodes.map((node) => (
        <Node key={node.index} node={node} place={at(node.index)} here={node.index === belt.node} pilot={pilot} way={reachable.get(node.index)} onTravel={onTravel} />
      ))}
      {belt.ways.map((way) => (
        <SlotLabel key={way.slot} way={way} from={at(belt.node)} to={at(way.node)} />
      ))}
      <text className="beltmap-count" x={10} y={SIZE - 10}>
        {count(belt.map.nodes.filter((node) => node.visited).length)} visited · {count(belt.map.nodes.length)} known of {count(belt.nodeCount)}
      </text>
    </svg>
  );
}

function describe(belt: Belt): string {
  const ways = belt.ways.map((way) => `way ${way.slot + 1} to ${nodeName(way.node)}, threat ${percent(way.threat)}`).join("; ");
  return `Map of the discovered belt: ${belt.map.nodes.length} of ${belt.nodeCount} nodes known. The ship is at ${nodeName(belt.node)}. ${ways}.`;
}

function Edge({ edge, from, to, here }: { edge: MapEdge; from: Point; to: Point; here: boolean }) {
  return (
    <line className={`beltmap-edge beltmap-${threatLevel(edge.threat)}${here ? " beltmap-here" : ""}`} x1={from.x} y1={from.y} x2={to.x} y2={to.y} />
  );
}

type NodeProps = { node: MapNode; place: Point; here: boolean; pilot: Pilot; way?: Way; onTravel?: (slot: number) => void };

function Node({ node, place, here, pilot, way, onTravel }: NodeProps) {
  const pick = way && onTravel;
  return (
    <g
      className={`beltmap-node beltmap-${node.type}${node.visited ? "" : " beltmap-unseen"}${pick ? " beltmap-pick" : ""}`}
      style={{ transform: `translate(${place.x}px, ${place.y}px)` }}
      onClick={() => way && onTravel?.(way.slot)}
      data-node={node.index}
    >
      <title>{title(node, way)}</title>
      {pick && <circle r={15} fill="transparent" />}
      {here && <circle className={`beltmap-ship beltmap-ship-${pilot}`} r={12} />}
      <Shape type={node.type} />
      <text y={3} textAnchor="middle">
        {node.index}
      </text>
    </g>
  );
}

function title(node: MapNode, way?: Way): string {
  const contents = node.visited ? `, ${node.asteroids} asteroids, ${node.hops} hops from the station` : ", not visited yet";
  const trip = way ? ` · way ${way.slot + 1}: ${way.ticks} ticks, ${amount(way.fuel)} fuel, threat ${percent(way.threat)}` : "";
  return node.index === 0 ? `The station${trip}` : `Node ${node.index}, ${node.type}${contents}${trip}`;
}

function Shape({ type }: { type: MapNode["type"] }) {
  if (type === "station") return <rect x={-8} y={-8} width={16} height={16} rx={3} />;
  if (type === "hazard") return <path d="M0 -9.5L9 7H-9Z" strokeLinejoin="round" />;
  return <circle r={8} />;
}

function SlotLabel({ way, from, to }: { way: Way; from: Point; to: Point }) {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const share = Math.min(0.5, 24 / length);
  return (
    <g className={`beltmap-slot beltmap-${threatLevel(way.threat)}`} style={{ transform: `translate(${from.x + (to.x - from.x) * share}px, ${from.y + (to.y - from.y) * share}px)` }}>
      <circle r={6.5} />
      <text y={3} textAnchor="middle">
        {way.slot + 1}
      </text>
    </g>
  );
}
