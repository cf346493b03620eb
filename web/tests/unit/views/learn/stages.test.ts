import { describe, expect, test } from "vitest";
import type { LearningResult, Stage } from "../../../../src/api/learning";
import { curves, intervalText, middleOf, span, stageName, valueText } from "../../../../src/views/learn/stages";

const result = (more: Partial<LearningResult>): LearningResult => ({ label: "success", role: "", value: 0.5, low: null, high: null, share: true, unit: "", better: "higher", ...more });
const stage = (window_id: number | null, trained_s: number | null, ...results: LearningResult[]): Stage => ({ window_id, trained_s, env_steps_total: 1_500_000, episodes: 9, results, replays: [] });
const rising = (values: readonly number[]) => values.map((value, i) => stage(i ? i - 1 : null, 60 * i, result({ value })));

describe("a moment of training in words", () => {
  test("the weights of step 0 are before training", () => expect(stageName(stage(null, 0))).toBe("before training"));
  test("time is said where it is known", () => expect(stageName(stage(3, 80))).toBe("after 1 min 20 s of training"));
  test("else steps are", () => expect(stageName(stage(3, null))).toBe("after 1.5M steps of training"));
  test.each([
    [0.2, "1 s"],
    [59.4, "59 s"],
    [60, "1 min"],
    [3600, "1 h"],
    [3700, "1 h 2 min"],
  ])("%d seconds are %s", (seconds, words) => expect(span(seconds)).toBe(words));
});

describe("a result in words", () => {
  test("a share is a percentage with its interval", () => {
    const share = result({ value: 0.62, low: 0.54, high: 0.7 });
    expect([valueText(share), intervalText(share)]).toEqual(["62 %", "54 to 70 %"]);
  });
  test("another number has its unit", () => {
    const profit = result({ value: 1240, low: 1100, high: 1390, share: false, unit: "credits" });
    expect([valueText(profit), intervalText(profit)]).toEqual(["1.24k credits", "1.1k to 1.39k"]);
  });
  test("without an interval none is made up", () => expect(intervalText(result({}))).toBe(""));
});

describe("the curve", () => {
  test("has a line for what should get better, and none for who happens to win", () => {
    const both = [result({ label: "a", value: 0.1 }), result({ label: "b", better: "none" })];
    expect(curves([stage(null, 0, ...both)]).map(({ label }) => label)).toEqual(["a"]);
  });
  test("leaves a gap where a stage lacks the number", () => {
    expect(curves([stage(null, 0), stage(0, 9, result({}))])[0]?.points[0]).toBeNull();
  });
});

describe("the middle that is shown first", () => {
  test("is the first that has come half of the way", () => expect(middleOf(rising([0, 0.1, 0.6, 0.8, 0.9]))).toBe(2));
  test("is never the first or the last", () => expect(middleOf(rising([0, 0, 0, 1]))).toBe(2));
  test("is half of the time where nothing changed", () => expect(middleOf(rising([0.5, 0.5, 0.5, 0.5]))).toBe(2));
  test("follows what should become smaller too", () => expect(middleOf(rising([9, 8, 3, 2, 1]))).toBe(2));
});
