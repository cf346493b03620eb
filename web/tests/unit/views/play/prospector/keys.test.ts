import { beforeAll, expect, test } from "vitest";
import type { ProspectorSpec } from "../../../../../src/parts/prospector/spec";
import { keysOf, press, walkFrom, type Pressed, type Waiting } from "../../../../../src/views/play/prospector/keys";
import { openWorld } from "../../../parts/prospector/engine";

let spec: ProspectorSpec;
beforeAll(async () => {
  ({ spec } = await openWorld());
});

function type(...keys: string[]): Pressed {
  let pressed: Pressed = { waiting: null, command: null, handled: false };
  for (const key of keys) pressed = press({ key }, pressed.waiting, spec);
  return pressed;
}

const action = (...keys: string[]) => {
  const { command } = type(...keys);
  return command?.do === "act" ? command.action : command?.do;
};

test("each key of the legend asks for its action", () => {
  const wanted: Record<string, string> = {
    "1": "TRAVEL_NEIGHBOR_0", "6": "TRAVEL_NEIGHBOR_5", h: "HOLD_DRIFT", b: "EMERGENCY_BURN", q: "WIDE_SCAN", w: "FOCUSED_SCAN_SELECTED",
    e: "DEEP_SCAN_SELECTED", t: "PASSIVE_THREAT_LISTEN", z: "MINE_CONSERVATIVE_SELECTED", x: "MINE_STANDARD_SELECTED", c: "MINE_AGGRESSIVE_SELECTED",
    s: "STABILIZE_SELECTED", r: "REFINE_ONBOARD", v: "ACTIVE_COOLDOWN", g: "TOOL_MAINTENANCE", p: "HULL_PATCH", d: "DOCK", k: "BUY_REPAIR_KIT",
    i: "BUY_STABILIZER", o: "BUY_DECOY", u: "FULL_REPAIR_OVERHAUL", " ": "repeat", Escape: "stop", "?": "help",
  }; // prettier-ignore
  for (const [key, name] of Object.entries(wanted)) expect(action(key), key).toBe(name);
  expect(action("Q")).toBe("WIDE_SCAN");
});

test("J, L and F wait for a second key", () => {
  expect(action("j", "3")).toBe("JETTISON_WATER_ICE");
  expect(action("l", "5")).toBe("SELL_RARE_ISOTOPES_100");
  expect(action("l", "l", "1")).toBe("SELL_IRON_50");
  expect(action("l", "l", "l", "6")).toBe("SELL_VOLATILES_25");
  expect(action("l", "l", "l", "l", "6")).toBe("SELL_VOLATILES_100");
  expect(action("f", "2")).toBe("BUY_FUEL_MED");
  expect(type("j").waiting).toEqual({ for: "jettison" });
});

test("Escape forgets a first key, and a digit beyond the choices does nothing", () => {
  expect(type("j", "Escape")).toEqual({ waiting: null, command: null, handled: true });
  expect(type("f", "4")).toEqual({ waiting: { for: "fuel" }, command: null, handled: true });
  expect(type("9")).toEqual({ waiting: null, command: null, handled: false });
});

test("another key after a first one means itself", () => {
  expect(action("j", "q")).toBe("WIDE_SCAN");
  expect(type("j", "q").waiting).toBeNull();
});

test("keys that are none of ours are left to the browser", () => {
  for (const key of ["Tab", "Enter", "F5", "n", "Home"]) expect(type(key).handled, key).toBe(false);
});

test("digits are found by their place on keyboards that have them under Shift", () => {
  const pressed = press({ key: "&", code: "Digit1" }, null as Waiting, spec);
  expect(pressed.command).toEqual({ do: "act", action: "TRAVEL_NEIGHBOR_0" });
});

test("every action but selecting has keys of its own, and pressing them asks for it", () => {
  const seen = new Set<string>();
  for (const { name } of spec.actions) {
    const keys = keysOf(name, spec);
    if (name.startsWith("SELECT_ASTEROID")) {
      expect(keys).toBeNull();
      continue;
    }
    expect(keys, name).not.toBeNull();
    expect(seen.has(keys!), keys!).toBe(false);
    seen.add(keys!);
    expect(action(...keys!.split(" ")), name).toBe(name);
  }
});

test("walking goes round the ring over what can be selected", () => {
  const open = [true, false, true, true];
  expect(walkFrom(-1, 1, open)).toBe(0);
  expect(walkFrom(-1, -1, open)).toBe(3);
  expect(walkFrom(0, 1, open)).toBe(2);
  expect(walkFrom(0, -1, open)).toBe(3);
  expect(walkFrom(3, 1, open)).toBe(0);
  expect(walkFrom(1, 1, [false, false, false])).toBeNull();
});
