import { describe, expect, it } from "vitest";
import { groupsOf, formatName } from "../../../../src/views/analytics/chartGroups";

const titles = (columns: string[]) => groupsOf(columns).map((group) => [group.title, group.charts.map((chart) => chart.title)]);

describe("charts of a run", () => {
  it("has the primary charts of the prospector first", () => {
    const columns = ["return_mean", "profit_mean", "survival_rate", "reward_mean"];
    expect(titles(columns)).toEqual([["Outcome", ["Return", "Profit", "Survival", "Reward"]]]);
  });

  it("shows every numeric column in exactly one chart", () => {
    const columns = ["seeker_return_mean", "seeker_return_median", "seeker_win_rate", "seeker_policy_loss", "seeker_entropy", "hider_policy_loss", "hider_entropy"].concat(
      ["seconds", "boxes_mean", "boxes_median", "own_figure", "cash_out_rate"],
    );
    const drawn = groupsOf(columns).flatMap((group) => group.charts.flatMap((chart) => chart.lines.map((line) => line.column)));
    expect([...drawn].sort()).toEqual([...columns].sort());
  });

  it("draws a line a role for what the optimiser tells", () => {
    const [group] = groupsOf(["seeker_policy_loss", "hider_policy_loss", "scout_policy_loss", "scout_entropy"]);
    expect(group?.charts[0]?.lines.map((line) => [line.name, line.colour])).toEqual([["seeker", "seeker"], ["hider", "hider"], ["scout", undefined]]);
    expect(group?.charts[1]?.lines.map((line) => line.column)).toEqual(["scout_entropy"]);
  });

  it("takes names and units of an unknown game from what the game says", () => {
    const fields = new Map([["altitude", { unit: "m", text: "" }]]);
    const [group] = groupsOf(["altitude_mean", "altitude_median"], fields);
    expect(group?.charts).toEqual([
      {
        title: "Altitude",
        unit: "m",
        percent: false,
        lines: [{ column: "altitude_mean", name: "mean" }, { column: "altitude_median", name: "median" }],
      },
    ]);
  });

  it("tells returns and wins of several roles by role and by opponent", () => {
    const columns = ["return_mean", "seeker_return_mean", "hider_return_mean", "seeker_win_rate", "seeker_win_rate_vs_past", "seeker_win_rate_vs_scripted"];
    expect(titles(columns)).toEqual([["Outcome", ["Who wins", "The seeker wins against", "Return"]]]);
  });

  it("does not call a sum over opponents an outcome", () => {
    expect(titles(["return_mean", "seeker_win_rate", "hider_win_rate"])).toEqual([["Outcome", ["Who wins"]]]);
  });

  it("leaves counters of the row out and has nothing to say about nothing", () => {
    expect(groupsOf(["window_id", "env_steps_total", "stage"])).toEqual([]);
    expect(groupsOf([])).toEqual([]);
  });

  it("says a name in words", () => {
    expect(formatName("value_lost_to_pirates")).toBe("Value lost to pirates");
  });
});
