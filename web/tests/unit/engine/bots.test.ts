import { describe, expect, test } from "vitest";
import { engine, python } from "./fixtures";

const ready = await engine();

describe("scripted players in the page", () => {
  test.each(python().bots)("$game $name:$level does what it does in Python, action by action", ({ game, name, level, actions, hash }) => {
    const world = ready.create(game);
    world.reset([5]);
    const bot = world.bot(name, { level, seed: 11 });
    for (const expected of actions) {
      bot.act();
      expect(Array.from(world.actions)).toEqual(expected);
      world.step();
    }
    expect(world.hash(0).toString()).toBe(hash);
    bot.close();
    world.close();
  });

  test("a bot may play some rows and leave the others alone", () => {
    const world = ready.create("tag");
    world.reset([1]);
    const bot = world.bot("evade");
    world.actions.fill(0.25);
    bot.act(1, 1);
    expect(Array.from(world.actions.subarray(0, 3))).toEqual([0.25, 0.25, 0.25]);
    expect(Array.from(world.actions.subarray(3))).not.toEqual([0.25, 0.25, 0.25]);
  });
});
