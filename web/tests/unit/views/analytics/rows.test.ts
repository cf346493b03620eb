import { describe, expect, it } from "vitest";
import { seriesOf, sharedXs, shortRunName, valuesAt } from "../../../../src/views/analytics/align";
import { merge, numberOf, numericColumns, type Row } from "../../../../src/views/analytics/rows";

const row = (window_id: number, more: Record<string, unknown> = {}): Row => ({
  window_id,
  env_steps_total: (window_id + 1) * 10,
  window_complete: true,
  ...more,
});

describe("rows of windows", () => {
  it("merges a tail into what is known, each window once and in order", () => {
    const merged = merge([row(0), row(1, { x: 1 })], [row(2), row(1, { x: 2 })], 2);
    expect(merged.map((each) => [each.window_id, each.x])).toEqual([[0, undefined], [1, 2], [2, undefined]]);
  });

  it("drops windows that a resumed run has lost", () => {
    expect(merge([row(0), row(1), row(2)], [row(1)], 1).map((each) => each.window_id)).toEqual([0, 1]);
  });

  it("takes what is missing, no number or not finite as missing", () => {
    const odd = row(0, { a: null, b: "3", c: Number.NaN, d: 0 });
    expect(["a", "b", "c", "d", "e"].map((column) => numberOf(odd, column))).toEqual([null, null, null, 0, null]);
    expect(numericColumns([row(0, { a: null }), row(1, { a: 1, b: "x" })])).toEqual(["window_id", "env_steps_total", "a"]);
  });
});

describe("runs over one axis", () => {
  const a = { runId: "a", label: "a", rows: [row(0, { v: 1 }), row(1, { v: null }), row(2, { v: 3 })] };
  const b = { runId: "b", label: "b", rows: [{ ...row(0, { v: 7 }), env_steps_total: 15 }] };

  it("tells a window without the number from an x without a window", () => {
    const xs = sharedXs([a, b]);
    expect(xs).toEqual([10, 15, 20, 30]);
    expect(valuesAt(xs, a.rows, "v")).toEqual([1, undefined, null, 3]);
    expect(valuesAt(xs, b.rows, "v")).toEqual([undefined, 7, undefined, undefined]);
  });

  it("names lines by run when one chart is compared, and by both when there are several", () => {
    const alone = { title: "V", unit: "", lines: [{ column: "v", name: "V" }] };
    const both = { title: "V", unit: "", lines: [{ column: "v", name: "seeker" }, { column: "w", name: "hider" }] };
    expect(seriesOf(alone, [a], [10]).map((series) => series.name)).toEqual(["V"]);
    expect(seriesOf(alone, [a, b], [10]).map((series) => [series.name, series.colour])).toEqual([["a", "series-1"], ["b", "series-2"]]);
    const lines = seriesOf(both, [a, b], [10]);
    expect(lines.map((series) => series.name)).toEqual(["seeker, a", "hider, a", "seeker, b", "hider, b"]);
    expect(new Set(lines.map((series) => `${series.colour} ${series.dash}`)).size).toBe(4);
  });

  it("compares runs by their means alone", () => {
    const chart = { title: "V", unit: "", lines: [{ column: "v", name: "mean" }, { column: "w", name: "median" }] };
    expect(seriesOf(chart, [a], [10]).map((series) => series.name)).toEqual(["mean", "median"]);
    expect(seriesOf(chart, [a, b], [10]).map((series) => series.name)).toEqual(["a", "b"]);
  });

  it("shortens run ids, and leaves names of other kinds alone", () => {
    expect(shortRunName("20260131T090500Z-1a2b3c4d")).toBe("01-31 09:05:00");
    expect(shortRunName("20260131T090500Z-1a2b3c4d-2")).toBe("01-31 09:05:00-2");
    expect(shortRunName("my-run")).toBe("my-run");
  });
});
