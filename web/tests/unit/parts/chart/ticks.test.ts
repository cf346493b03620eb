import { describe, expect, it } from "vitest";
import { tickNumber } from "../../../../src/parts/chart/numbers";

describe("numbers on an axis", () => {
  it("have as many digits as tell neighbours apart", () => {
    expect([0, 0.5, 1].map((tick) => tickNumber(tick, 0.5))).toEqual(["0", "0.5", "1.0"]);
    expect([2_000_000, 2_500_000].map((tick) => tickNumber(tick, 500_000))).toEqual(["2.0M", "2.5M"]);
    expect([8.33e-4, 8.34e-4].map((tick) => tickNumber(tick, 1e-6))).toEqual(["8.33e-4", "8.34e-4"]);
    expect([2500, 5000].map((tick) => tickNumber(tick, 2500))).toEqual(["2.5k", "5.0k"]);
    expect([-40, 20].map((tick) => tickNumber(tick, 20))).toEqual(["-40", "20"]);
  });
});
