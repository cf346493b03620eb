import { describe, expect, it } from "vitest";
import { evaluationGroups, evaluationRows } from "../../../../src/views/analytics/evaluationCharts";
import { heatMapOf, shade } from "../../../../src/views/analytics/leagueReport";
import { smoothed } from "../../../../src/views/analytics/smooth";

describe("evaluations", () => {
  it("put ratings of both roles into one chart and each opponent into one of its own", () => {
    const groups = evaluationGroups(["seeker_rating", "hider_rating", "seeker_beats_evade_1", "seeker_beats_evade_3", "hider_beats_chase_1", "value"]);
    expect(groups.map((group) => group.charts.map((chart) => [chart.title, chart.lines.map((line) => line.name)]))).toEqual([
      [["Rating", ["seeker", "hider"]]],
      [["Seeker against evade", ["level 1", "level 3"]], ["Hider against chase", ["level 1"]]],
    ]);
  });

  it("draw a pilot's profit with its interval, once", () => {
    const [held] = evaluationGroups(["value", "value_low", "value_high", "net_profit_mean", "survival_rate"]);
    expect(held?.charts.map((chart) => chart.title)).toEqual(["Profit", "Survival"]);
    expect(held?.charts[0]?.lines).toHaveLength(3);
  });

  it("leave out what has no place on the axis", () => {
    const evaluation = { window_id: 1, env_steps_total: null, value: 1, ratings: {}, rating_intervals: {}, intervals: {}, metrics: { value: 1 } };
    expect(evaluationRows([evaluation, { ...evaluation, env_steps_total: 10 }])).toHaveLength(1);
  });
});

describe("a league", () => {
  const league = {
    checkpoints: [], game: "tag",
    episodes: 8,
    labels: { "run-1/ckpt": "A" },
    standings: [
      { name: "run-1/ckpt", role: "seeker", rating: 900, scripted: false },
      { name: "chase:3", role: "seeker", rating: 1200, scripted: true },
      { name: "evade:1", role: "hider", rating: 950, scripted: true },
    ],
    matrix: { row_role: "seeker", column_role: "hider", rows: ["run-1/ckpt", "chase:3"], columns: ["evade:1"], row_wins: [[0.25], [0.75]] },
  };

  it("has the strongest first, with their numbers", () => {
    const map = heatMapOf(league);
    expect(map?.rows).toEqual([{ name: "chase:3", rating: 1200 }, { name: "A", rating: 900 }]);
    expect(map?.wins).toEqual([[0.75], [0.25]]);
  });

  it("is no heat map for a game of one pilot", () => {
    expect(heatMapOf({ ...league, matrix: undefined })).toBeNull();
  });

  it("shades an even pair not at all, and a certain one in the winner's colour", () => {
    expect(shade(0.5).percent).toBe(0);
    expect(shade(1)).toEqual({ side: "row", percent: 48 });
    expect(shade(0)).toEqual({ side: "column", percent: 48 });
  });
});

describe("a moving average", () => {
  it("takes the last so many numbers and leaves gaps alone", () => {
    expect(smoothed([2, null, 4, undefined, 6, 8], 2)).toEqual([2, null, 3, undefined, 5, 7]);
    expect(smoothed([1, 2], 1)).toEqual([1, 2]);
  });
});
