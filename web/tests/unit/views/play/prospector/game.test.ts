import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { useEngine } from "../../../../../src/engine/engine";
import { actionId, knobDefault } from "../../../../../src/parts/prospector/spec";
import { costOf } from "../../../../../src/views/play/prospector/Deck";
import { Game } from "../../../../../src/views/play/prospector/game";
import { actionsOf, GROUPS } from "../../../../../src/views/play/prospector/groups";
import { hintsOf, LESSONS } from "../../../../../src/views/play/prospector/lessons";
import { botScore, ranked, type Score } from "../../../../../src/views/play/prospector/scores";
import { whyStop } from "../../../../../src/views/play/prospector/useAutoRun";
import { DEFAULT_TIME, readSeed, readTime } from "../../../../../src/views/play/prospector/gameOptions";
import { WASM } from "../../../parts/prospector/engine";

beforeAll(async () => {
  await useEngine(readFileSync(WASM));
});

const openGame = (seed = 7, timeMax = 20000) => Game.open(BigInt(seed), timeMax, "leave");

test("the five groups hold each of the 69 actions once", async () => {
  const { spec } = await openGame();
  const ids = GROUPS.flatMap(({ key }) => actionsOf(spec, key).map((action) => action.id));
  expect([...ids].sort((a, b) => a - b)).toEqual(spec.actions.map((_, id) => id));
  expect(ids.length).toBe(69);
});

test("a forbidden action moves nothing and says why", async () => {
  const game = await openGame();
  expect(await game.act(actionId(game.spec, "MINE_STANDARD_SELECTED"))).toBe("refused");
  expect(game.view.step).toBe(0);
  expect(game.view.notice?.text).toBe("Mine steadily: Select an asteroid first.");
  expect(await game.act(actionId(game.spec, "HOLD_DRIFT"))).toBe("stepped");
  expect(game.view.notice).toBeNull();
  expect(game.view.last).toBe(actionId(game.spec, "HOLD_DRIFT"));
});

test("following the guide's first hint leads through the whole first trip, alive and with a profit", async () => {
  for (const seed of [1, 7, 12, 23, 41]) {
    const game = await openGame(seed);
    const passed = new Set<string>();
    for (let i = 0; i < 400 && game.view.lesson !== "done"; i++) {
      passed.add(game.view.lesson);
      const hint = hintsOf(game.view.lesson, game.view.belt, game.spec)[0];
      expect(hint, `seed ${seed}, lesson ${game.view.lesson}, step ${i}`).toBeDefined();
      expect(await game.act(actionId(game.spec, hint!))).toBe("stepped");
    }
    expect(game.view.lesson, `seed ${seed}`).toBe("done");
    expect(passed.size).toBe(LESSONS.length - 1);
    expect(game.view.belt.survival).toBe(1);
    expect(game.view.belt.credits + game.view.belt.cargoValue).toBeGreaterThan(500);
  }
});

test("a game that ends says so, and takes no more actions", async () => {
  const game = await openGame(3, 3);
  const hold = actionId(game.spec, "HOLD_DRIFT");
  for (let i = 0; i < 3; i++) expect(await game.act(hold)).toBe("stepped");
  expect(game.view.ended).toBe(true);
  expect(game.view.belt.ending).toBe("time");
  expect(await game.act(hold)).toBe("over");
  expect(game.view.step).toBe(3);
});

test("auto-run stops at the end, at a toApiError and at what befalls the ship, and not at its own sales", async () => {
  const { view } = await openGame();
  const after = (...names: string[]) => ({ ...view, events: names.map((name) => ({ name, values: {} })) });
  expect(whyStop("stepped", after("sell", "scan"), true)).toBeNull();
  expect(whyStop("stepped", after("pirate_encounter"), true)).not.toBeNull();
  expect(whyStop("stepped", after("pirate_encounter"), false)).toBeNull();
  expect(whyStop("refused", after(), false)).not.toBeNull();
  expect(whyStop("stepped", { ...after(), ended: true }, false)).not.toBeNull();
});

test("costs are shown in words from the game's own table", async () => {
  const game = await openGame();
  const cost = (name: string) => {
    const id = actionId(game.spec, name);
    return costOf(game.spec, game.view.belt, { id, name, text: "" });
  };
  expect(cost("WIDE_SCAN")).toBe("3 ticks, 5 fuel");
  expect(cost("BUY_FUEL_LARGE")).toBe("1 tick, 630 cr");
  const way = game.view.belt.ways[0]!;
  expect(cost(`TRAVEL_NEIGHBOR_${way.slot}`)).toMatch(new RegExp(`^${way.ticks} ticks?, [\\d.]+ fuel$`));
});

test("seeds and time budgets are read whole or refused with a sentence", () => {
  expect(readSeed("18446744073709551615").value).toBe(18446744073709551615n);
  for (const bad of ["", "-1", "1.5", "seven", "18446744073709551616", "1e3"]) expect(readSeed(bad).problem, bad).toMatch(/whole number/);
  expect(readTime(" 2000 ").value).toBe(2000);
  for (const bad of ["0", "1000001", "x"]) expect(readTime(bad).problem, bad).toMatch(/ticks/);
});

test("a game lasts as long as the engine says, unless the address says otherwise", async () => {
  const game = await openGame(7, DEFAULT_TIME);
  expect(DEFAULT_TIME).toBe(knobDefault(game.spec, "time_max"));
  expect(game.view.belt.timeLeft).toBe(DEFAULT_TIME);
});

test("scores are ranked by profit", () => {
  const score = (name: string, profit: number): Score => ({ name, profit, kind: "scripted", total: 0, ending: "", ticks: 0 });
  expect(ranked([score("a", 1), score("b", 3), score("c", 2)]).map((each) => each.name)).toEqual(["b", "c", "a"]);
});

test("a scripted player makes the same of a belt each time, within its time", async () => {
  const score = await botScore("tour", 7n, 600);
  expect(score).toMatchObject({ name: "tour", kind: "scripted" });
  expect(["cash_out", "time"]).toContain(score.ending);
  expect(score.ticks).toBeLessThanOrEqual(600);
  expect(await botScore("tour", 7n, 600)).toEqual(score);
});

test("a closed game takes no more actions", async () => {
  const game = await openGame();
  game.close();
  expect(await game.act(actionId(game.spec, "HOLD_DRIFT"))).toBe("over");
});

test("a game can be saved at any moment, under a replay's name", async () => {
  const game = await openGame();
  for (const name of ["HOLD_DRIFT", "PASSIVE_THREAT_LISTEN"]) await game.act(actionId(game.spec, name));
  const { name, bytes } = await game.save();
  expect(name).toMatch(/^replay-.*\.jsonl\.gz$/);
  expect([...bytes.subarray(0, 2)]).toEqual([0x1f, 0x8b]);
});
