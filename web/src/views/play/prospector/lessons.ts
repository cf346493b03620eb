// The guided first trip: what to do next, why, and with which buttons. A lesson ends when the pilot has done what it
// asks for, in any order that the game allows; the guide never acts by itself.
import { gauge, loadShare, unitValue, type Belt } from "../../../parts/prospector/belt";
import type { GameEvent } from "../../../parts/prospector/events";
import { knobDefault, type ProspectorSpec } from "../../../parts/prospector/spec";

export type Lesson = "leave" | "scan" | "select" | "mine" | "watch" | "return" | "sell" | "refuel" | "done";

export const LESSONS: readonly Lesson[] = ["leave", "scan", "select", "mine", "watch", "return", "sell", "refuel", "done"];

export const LESSON_TEXTS: Record<Lesson, { title: string; text: string }> = {
  leave: { title: "Fly out", text: "Ore lies in the fields around the station. Take a way that costs little fuel and has a low threat: the map shows its number, the keys are 1 to 6." },
  scan: { title: "Scan", text: "You do not know yet what these rocks hold. A wide scan tells a little about each of them; the coloured rings are the estimated mix." },
  select: { title: "Select", text: "Aim at the rock that promises most: dear goods, high stability. Click it, or walk with the arrow keys." },
  mine: { title: "Mine", text: "Steady mining is the middle way; gentle is safer, hard is faster and hotter. Mine a few times and watch the hold fill." },
  watch: { title: "Watch heat and tool", text: "Mining heats the ship and wears the tool. Above 60 heat the yield falls and rocks break up: cool down then. Leave a rock before it is empty. Load a quarter of the hold." },
  return: { title: "Return", text: "Cargo is worth nothing out here, and it draws pirates. The way marked home leads back; a loaded ship burns more fuel." },
  sell: { title: "Sell", text: "The more you sell of one thing, the lower its price falls. Sell what stands above its base price; half today and half later is a choice too." },
  refuel: { title: "Refuel", text: "Fuel decides how far you can go, and without fuel for any way out you are stranded. Fill up before the next trip." },
  done: { title: "That was a trip", text: "Far nodes and hazard nodes hold richer ore. Cash out at the station when you have enough: only credits count at the end." },
};

const FIRST_LOAD = 0.03; // share of the hold that ends "mine"
const GOOD_LOAD = 0.25; // share of the hold that ends "watch"

/** The guide's progress after a step. Several lessons may end at once. */
export function lessonAfter(lesson: Lesson, belt: Belt, events: readonly GameEvent[]): Lesson {
  let now = lesson;
  while (now !== "done" && isLearnt(now, belt, events)) now = LESSONS[LESSONS.indexOf(now) + 1] ?? "done";
  return now;
}

function isLearnt(lesson: Lesson, belt: Belt, events: readonly GameEvent[]): boolean {
  const afield = belt.node !== 0;
  switch (lesson) {
    case "leave":
      return afield;
    case "scan":
      return afield && events.some((event) => event.name === "scan" && event.values.kind !== 3);
    case "select":
      return belt.selected >= 0;
    case "mine":
      return loadShare(belt) >= FIRST_LOAD;
    case "watch":
      return loadShare(belt) >= GOOD_LOAD || (!afield && loadShare(belt) >= FIRST_LOAD);
    case "return":
      return !afield;
    case "sell":
      return events.some((event) => event.name === "sell");
    case "refuel":
      return events.some((event) => event.name === "buy" && (event.values.item ?? 9) <= 2) || gauge(belt, "fuel").value >= gauge(belt, "fuel").max;
    case "done":
      return false;
  }
}

/** The actions of the current lesson, by name; the first is the one to press. */
export function hintsOf(lesson: Lesson, belt: Belt, spec: ProspectorSpec): string[] {
  const possible = (name: string) => belt.reasons[spec.actions.findIndex((action) => action.name === name)] === 0;
  return suggestions(lesson, belt, spec).filter(possible);
}

function suggestions(lesson: Lesson, belt: Belt, spec: ProspectorSpec): string[] {
  const afield = belt.node !== 0;
  const home = belt.ways.filter((way) => way.home).map((way) => `TRAVEL_NEIGHBOR_${way.slot}`);
  if (!afield && ["scan", "select", "mine", "watch"].includes(lesson)) return waysOut(belt);
  switch (lesson) {
    case "leave":
      return waysOut(belt);
    case "scan":
      return ["WIDE_SCAN"];
    case "select":
      return bestRocks(belt);
    case "mine":
    case "watch":
      return miningHints(belt, spec);
    case "return":
      return home;
    case "sell":
      return afield ? home : bestSales(belt);
    case "refuel":
      return afield ? home : ["BUY_FUEL_MED", "BUY_FUEL_SMALL", ...bestSales(belt)];
    case "done":
      return [];
  }
}

/** Cheap and quiet fields first. */
function waysOut(belt: Belt): string[] {
  return belt.ways
    .filter((way) => way.type !== "station")
    .sort((a, b) => trouble(a) - trouble(b))
    .slice(0, 2)
    .map((way) => `TRAVEL_NEIGHBOR_${way.slot}`);
}

function trouble(way: Belt["ways"][number]): number {
  return way.fuel + 60 * way.threat + (way.type === "hazard" ? 80 : 0);
}

function bestRocks(belt: Belt): string[] {
  return belt.rocks
    .filter((rock) => !rock.usedUp)
    .sort((a, b) => unitValue(b, belt.goods) * b.stability * b.richness - unitValue(a, belt.goods) * a.stability * a.richness)
    .slice(0, 2)
    .map((rock) => `SELECT_ASTEROID_${rock.slot}`);
}

function miningHints(belt: Belt, spec: ProspectorSpec): string[] {
  const rock = belt.rocks.find((each) => each.slot === belt.selected);
  if (gauge(belt, "heat").value > knobDefault(spec, "heat_knee")) return ["ACTIVE_COOLDOWN"];
  if (!rock || rock.usedUp || rock.depletion > 0.6) return bestRocks({ ...belt, rocks: belt.rocks.filter((each) => each !== rock) });
  return [rock.stability < 0.4 ? "MINE_CONSERVATIVE_SELECTED" : "MINE_STANDARD_SELECTED"];
}

function bestSales(belt: Belt): string[] {
  return belt.goods
    .filter((good) => good.units >= 0.01)
    .sort((a, b) => b.sale.all - a.sale.all)
    .slice(0, 2)
    .map((good) => `SELL_${good.name.toUpperCase()}_100`);
}
