// One moment of the game, by name: the engine's render block shaped into a ship, a market, a place and a map.
// The block may come from the engine in the browser (flat arrays, codes as numbers) or from the server (nested
// lists, codes as words); both read the same here.
import { fieldOf, type ProspectorSpec } from "./spec";

export type Block = Readonly<Record<string, unknown>>;
export type NodeType = "station" | "cluster" | "hazard";
export type Ending = "none" | "destroyed" | "stranded" | "cash_out" | "time";

export type GaugeName = "fuel" | "hull" | "heat" | "tool" | "cargo" | "alert";
export type GaugeReading = { name: GaugeName; value: number; max: number };

export type Good = {
  name: string;
  units: number;
  price: number; // credits
  change: number; // credits, in the last step
  base: number;
  stock: number; // units at the station
  sale: { quarter: number; half: number; all: number }; // credits, here and now
};

export type Rock = {
  slot: number;
  shares: readonly number[]; // estimated, by commodity
  stability: number;
  depletion: number;
  confidence: number;
  richness: number;
  selected: boolean;
  stabilizedTicks: number;
  usedUp: boolean;
};

export type Way = {
  slot: number;
  node: number;
  type: NodeType;
  ticks: number;
  fuel: number; // with the present load
  threat: number; // estimate, 0..1
  visited: boolean;
  home: boolean; // the first hop of a shortest way home
};

export type MapNode = { index: number; type: NodeType; visited: boolean; hops: number; asteroids: number };
export type MapEdge = { from: number; to: number; slot: number; ticks: number; fuel: number; threat: number };

export type Belt = {
  gauges: readonly GaugeReading[];
  ticks: number;
  timeLeft: number;
  credits: number;
  netProfit: number;
  survival: number;
  meanLoad: number;
  cargoValue: number;
  kits: number;
  stabilizers: number;
  decoys: number;
  goods: readonly Good[];
  node: number;
  nodeType: NodeType;
  nodeHazard: number;
  nodeCount: number;
  hops: number;
  selected: number; // slot, or -1
  escapeTicks: number;
  docked: boolean;
  action: number; // id of the last action, -1 after a reset
  dt: number;
  invalid: boolean;
  ending: Ending;
  rewardTerms: readonly { name: string; value: number }[];
  rocks: readonly Rock[];
  ways: readonly Way[];
  map: { nodes: readonly MapNode[]; edges: readonly MapEdge[] };
  reasons: readonly number[]; // by action: an index into the spec's reasons, 0 where it is possible
};

const GAUGES: readonly { name: GaugeName; field: string }[] = [
  { name: "fuel", field: "fuel" },
  { name: "hull", field: "hull" },
  { name: "heat", field: "heat" },
  { name: "tool", field: "tool" },
  { name: "cargo", field: "cargo_total" },
  { name: "alert", field: "alert" },
];

/** Reads named values of one block, whichever side it comes from. */
class Reader {
  constructor(
    private readonly spec: ProspectorSpec,
    private readonly block: Block,
  ) {}

  list(name: string): number[] {
    const value = this.block[name];
    if (Array.isArray(value)) return value.flat(2) as number[];
    if (ArrayBuffer.isView(value)) return Array.from(value as Float32Array);
    if (typeof value === "number") return [value];
    throw new Error(`The frame holds no ${name}; it was made by another release of the engine.`);
  }

  number(name: string): number {
    return this.list(name)[0] ?? 0;
  }

  word<Word extends string>(name: string): Word {
    const value = this.block[name];
    if (typeof value === "string") return value as Word;
    return fieldOf(this.spec, name).labels[this.number(name)] as Word;
  }

  /** A table as rows of named columns. */
  rows(name: string): Record<string, number>[] {
    const { labels } = fieldOf(this.spec, name);
    const values = this.list(name);
    const count = Math.floor(values.length / labels.length);
    return Array.from({ length: count }, (_, row) =>
      Object.fromEntries(labels.map((label, column) => [label, values[row * labels.length + column] ?? 0])),
    );
  }
}

export function goodsOf(spec: ProspectorSpec): readonly string[] {
  return fieldOf(spec, "cargo").labels;
}

export function readBelt(spec: ProspectorSpec, block: Block): Belt {
  const read = new Reader(spec, block);
  const map = readMap(spec, read);
  return {
    gauges: GAUGES.map(({ name, field }) => ({ name, value: read.number(field), max: fieldOf(spec, field).high ?? 1 })),
    ticks: read.number("ticks"),
    timeLeft: read.number("time_remaining"),
    credits: read.number("credits"),
    netProfit: read.number("net_profit"),
    survival: read.number("survival"),
    meanLoad: read.number("cargo_utilization_avg"),
    cargoValue: read.number("cargo_value"),
    kits: read.number("repair_kits"),
    stabilizers: read.number("stabilizers"),
    decoys: read.number("decoys"),
    goods: readGoods(spec, read),
    node: read.number("node"),
    nodeType: read.word<NodeType>("node_type"),
    nodeHazard: read.number("node_hazard"),
    nodeCount: read.number("node_count"),
    hops: read.number("hops"),
    selected: read.number("selected"),
    escapeTicks: read.number("escape_ticks"),
    docked: read.number("docked") > 0,
    action: read.number("action"),
    dt: read.number("dt"),
    invalid: read.number("invalid_action") > 0,
    ending: read.word<Ending>("ending"),
    rewardTerms: readTerms(spec, read),
    rocks: readRocks(spec, read),
    ways: readWays(read, map),
    map,
    reasons: read.list("why_not"),
  };
}

function readGoods(spec: ProspectorSpec, read: Reader): Good[] {
  const [units, price, change, base, stock] = ["cargo", "price", "price_delta", "price_base", "stock"].map((name) => read.list(name));
  const sales = read.rows("sale");
  return goodsOf(spec).map((name, i) => ({
    name,
    units: units?.[i] ?? 0,
    price: price?.[i] ?? 0,
    change: change?.[i] ?? 0,
    base: base?.[i] ?? 0,
    stock: stock?.[i] ?? 0,
    sale: { quarter: sales[i]?.quarter ?? 0, half: sales[i]?.half ?? 0, all: sales[i]?.all ?? 0 },
  }));
}

function readTerms(spec: ProspectorSpec, read: Reader): { name: string; value: number }[] {
  const values = read.list("reward_terms");
  return fieldOf(spec, "reward_terms").labels.map((name, i) => ({ name, value: values[i] ?? 0 }));
}

function readRocks(spec: ProspectorSpec, read: Reader): Rock[] {
  const steady = read.list("stabilized_ticks");
  const goods = goodsOf(spec);
  return read.rows("asteroids").flatMap((row, slot) =>
    row.valid
      ? [
          {
            slot,
            shares: goods.map((good) => row[good] ?? 0),
            stability: row.stability ?? 0,
            depletion: row.depletion ?? 0,
            confidence: row.confidence ?? 0,
            richness: row.richness ?? 0,
            selected: row.selected === 1,
            stabilizedTicks: steady[slot] ?? 0,
            usedUp: (row.depletion ?? 0) >= 1,
          },
        ]
      : [],
  );
}

function readMap(spec: ProspectorSpec, read: Reader): Belt["map"] {
  const types = fieldOf(spec, "node_type").labels as readonly NodeType[];
  const nodes = read.rows("nodes");
  const edges = read.rows("edges");
  const slots = nodes.length > 0 ? edges.length / nodes.length : 0;
  return {
    nodes: nodes.flatMap((row, index) =>
      (row.known ?? 0) > 0
        ? [{ index, type: types[row.type ?? 0] ?? "cluster", visited: row.known === 2, hops: row.hops ?? -1, asteroids: row.asteroids ?? -1 }]
        : [],
    ),
    edges: edges.flatMap((row, i) =>
      (row.neighbor ?? -1) >= 0
        ? [{ from: Math.floor(i / slots), slot: i % slots, to: row.neighbor ?? 0, ticks: row.ticks ?? 0, fuel: row.fuel ?? 0, threat: row.threat ?? 0 }]
        : [],
    ),
  };
}

function readWays(read: Reader, map: Belt["map"]): Way[] {
  const here = read.number("node");
  const home = read.number("way_home");
  const fuel = read.list("trip_fuel");
  return map.edges
    .filter((edge) => edge.from === here)
    .map((edge) => {
      const there = map.nodes.find((node) => node.index === edge.to);
      return {
        slot: edge.slot,
        node: edge.to,
        type: there?.type ?? "cluster",
        ticks: edge.ticks,
        fuel: fuel[edge.slot] ?? edge.fuel,
        threat: edge.threat,
        visited: there?.visited ?? false,
        home: edge.slot === home,
      };
    });
}

export function gauge(belt: Belt, name: GaugeName): GaugeReading {
  const found = belt.gauges.find((each) => each.name === name);
  if (!found) throw new Error(`There is no gauge ${name}.`);
  return found;
}

export function loadShare(belt: Belt): number {
  const { value, max } = gauge(belt, "cargo");
  return max > 0 ? value / max : 0;
}

/** What a unit of this rock is worth at present prices, by its estimated shares. */
export function unitValue(rock: Rock, goods: readonly Good[]): number {
  return rock.shares.reduce((sum, share, i) => sum + share * (goods[i]?.price ?? 0), 0);
}
