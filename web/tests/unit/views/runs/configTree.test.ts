import { describe, expect, it } from "vitest";
import { duration, fileSize, nextSort, shownRuns } from "../../../../src/views/runs/runList";
import { differences, groups, search, settingsOf } from "../../../../src/views/runs/configTree";
import type { RunSummary } from "../../../../src/api/analytics";

const CONFIG = { game: "tag", ppo: { learning_rate: 0.001, clip_range: 0.2 }, network: { hidden_sizes: [128, 128] }, curriculum: [], settings: {} };

describe("a configuration", () => {
  it("is a list of settings by their whole path", () => {
    expect(settingsOf(CONFIG).map((each) => each.path)).toEqual(["game", "ppo.learning_rate", "ppo.clip_range", "network.hidden_sizes", "curriculum", "settings"]);
  });

  it("tells lessons of a curriculum one by one", () => {
    expect(settingsOf({ curriculum: [{ mode: "a" }, { mode: "b" }] }).map((each) => [each.path, each.value])).toEqual([
      ["curriculum.0.mode", "a"],
      ["curriculum.1.mode", "b"],
    ]);
  });

  it("is searched by all words, in names and values", () => {
    const settings = settingsOf(CONFIG);
    expect(search(settings, "LEARN ppo").map((each) => each.path)).toEqual(["ppo.learning_rate"]);
    expect(search(settings, "128").map((each) => each.path)).toEqual(["network.hidden_sizes"]);
    expect(search(settings, "")).toHaveLength(settings.length);
  });

  it("differs from another only where it does", () => {
    const other = { ...CONFIG, ppo: { learning_rate: 0.002, clip_range: 0.2 }, extra: true };
    expect(differences(settingsOf(CONFIG), settingsOf(other))).toEqual([
      { path: "ppo.learning_rate", left: "0.001", right: "0.002" },
      { path: "extra", left: null, right: "true" },
    ]);
    expect(differences(settingsOf(CONFIG), settingsOf(CONFIG))).toEqual([]);
  });

  it("is folded by its first names", () => {
    expect([...groups(settingsOf(CONFIG)).keys()]).toEqual(["", "ppo", "network"]);
  });

  it("may be nothing at all", () => {
    expect(settingsOf({})).toEqual([]);
    expect(settingsOf({ a: null })).toEqual([{ path: "a", value: null }]);
  });
});

describe("the catalogue", () => {
  const run = (run_id: string, more: Partial<RunSummary>) => ({ run_id, game: "tag", status: "completed", trainer_backend: "ppo", seed: "1", env_steps_total: 0, ...more }) as RunSummary;
  const runs = [run("a", { env_steps_total: 5 }), run("b", { env_steps_total: 50, game: "prospector" }), run("c", { env_steps_total: 9, status: "failed", seed: "7" })];
  const all = { game: "", status: "", words: "" };
  const ids = (found: RunSummary[]) => found.map((each) => each.run_id).join("");

  it("is sorted by numbers as numbers, either way", () => {
    expect(ids(shownRuns(runs, all, { key: "env_steps_total", descending: true }))).toBe("bca");
    expect(ids(shownRuns(runs, all, { key: "env_steps_total", descending: false }))).toBe("acb");
  });

  it("is filtered by game, status and words together", () => {
    const sort = { key: "run_id", descending: false } as const;
    expect(ids(shownRuns(runs, { ...all, game: "tag" }, sort))).toBe("ac");
    expect(ids(shownRuns(runs, { ...all, status: "failed", words: "SEED:7" }, sort))).toBe("c");
    expect(ids(shownRuns(runs, { ...all, words: "nothing" }, sort))).toBe("");
  });

  it("turns a column round when it is clicked again", () => {
    expect(nextSort({ key: "run_id", descending: false }, "run_id")).toEqual({ key: "run_id", descending: true });
    expect(nextSort({ key: "run_id", descending: false }, "env_steps_total")).toEqual({ key: "env_steps_total", descending: true });
  });

  it("says times and sizes as people do", () => {
    expect(duration("2026-01-01T00:00:00Z", "2026-01-01T00:01:05Z")).toBe("65 s");
    expect(duration("2026-01-01T00:00:00Z", "2026-01-01T03:00:00Z")).toBe("3.0 h");
    expect(duration("2026-01-01T00:00:00Z", null)).toBe("–");
    expect([fileSize(12), fileSize(2500), fileSize(3.2e6)]).toEqual(["12 B", "2.5 kB", "3.2 MB"]);
  });
});
