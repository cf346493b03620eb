import { describe, expect, it } from "vitest";
import type { CheckpointList, ReplayEntry } from "../../../../src/api/analytics";
import { tellingTags, windowsOf } from "../../../../src/views/analytics/windowMarks";

const replay = (replay_id: string, window_id: number, steps: number | null = null) => ({ replay_id, window_id, checkpoint_env_steps_total: steps }) as ReplayEntry;
const checkpoint = (window_id: number, env_steps_total: number | null) => ({ window_id, env_steps_total }) as CheckpointList["checkpoints"][number];

describe("marks along a run", () => {
  it("gathers checkpoint and replays of a window, in the order of windows", () => {
    const marks = windowsOf([replay("c", 2, 30), replay("b", 0), replay("a", 0)], [checkpoint(0, 10), checkpoint(1, 20)], 10, 30);
    expect(marks.map((each) => [each.windowId, each.envSteps, each.checkpoint?.window_id, each.replays.map((r) => r.replay_id).join("")])).toEqual([
      [0, 10, 0, "ba"],
      [1, 20, 1, ""],
      [2, 30, undefined, "c"],
    ]);
  });

  it("places a window whose steps nobody tells by the size of windows", () => {
    expect(windowsOf([replay("a", 4)], [], 1000, 9000)[0]?.envSteps).toBe(5000);
  });

  it("never places a window beyond the end of its run", () => {
    expect(windowsOf([replay("a", 17)], [], 3_000_000, 51_200_000)[0]?.envSteps).toBe(51_200_000);
  });

  it("names only the highest milestone of a kind", () => {
    const tags = ["every_window", "milestone:profit:100", "milestone:profit:1000", "milestone:return:10", "odd:tag"];
    expect(tellingTags(tags)).toEqual(["every_window", "milestone:profit:1000", "milestone:return:10", "odd:tag"]);
  });
});
