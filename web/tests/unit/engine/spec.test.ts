import { describe, expect, test } from "vitest";
import { actionText, agentsOf, secondsPerStep, completeConfig } from "../../../src/engine/spec";
import { engine, python } from "./fixtures";

const { specs } = python();
const ready = await engine();

describe("a game's description", () => {
  test.each(specs)("$game with $config has Python's settings and hash", ({ game, config, hash, whole }) => {
    const { profile, ...knobs } = config as { profile?: string };
    const spec = ready.describe(game, profile === undefined ? { config: knobs } : { config: knobs, profile });
    const found = completeConfig(spec, config);
    expect(found).toEqual(whole);
    expect(spec.hash).toBe(hash);
  });

  test("names agents, actions and the clock", () => {
    const tag = ready.describe("tag", { config: { hiders: 2 } });
    expect(agentsOf(tag, "hider")).toEqual([1, 2]);
    expect(actionText(tag, [0.5, -1, 0])).toBe("move_x 0.50, move_z -1.00, jump 0.00");
    const config = completeConfig(tag, {});
    expect(secondsPerStep(config)).toBe(Number(config.ticks_per_step) / Number(config.tick_rate));
    const prospector = ready.describe("prospector");
    expect(actionText(prospector, [0])).toBe(prospector.actions[0]!.name);
    expect(actionText(prospector, [-1])).toBe("invalid (-1)");
    expect(secondsPerStep(completeConfig(prospector, {}))).toBeNull();
  });
});
