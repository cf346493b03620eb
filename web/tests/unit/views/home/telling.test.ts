import { expect, test } from "vitest";
import type { ReplayEntry } from "../../../../src/api/watch";
import { mostTelling } from "../../../../src/views/home/telling";

const entry = (replay_id: string, window_id: number, steps: number, return_total: number) => ({ replay_id, window_id, steps, return_total }) as ReplayEntry;
const entries = [entry("d", 9, 200, -8), entry("c", 8, 120, 11), entry("b", 6, 90, 12), entry("a", 1, 190, 30)];

test("of a competition the longest match that was decided before time ran out is the most telling", () => {
  expect(mostTelling(entries, true, "d")?.entry.replay_id).toBe("c");
});

test("of one player it is the highest score", () => expect(mostTelling(entries, false, "d")?.entry.replay_id).toBe("b"));

test("matches of the beginning of training are left out", () => expect(mostTelling(entries, false, null)?.entry.replay_id).not.toBe("a"));

test("the match that is shown already is left out", () => expect(mostTelling(entries, true, "c")?.entry.replay_id).toBe("b"));

test("with a single match there is none beside it", () => expect(mostTelling([entry("d", 9, 200, 1)], true, "d")).toBeNull());
