import { expect, it, vi } from "vitest";

vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: () => undefined }));
const { rangeOf } = await import("../../../../src/parts/chart/Chart");

it.each([
  [0, 0, [0, 1]],
  [0.5, 0.5, [0.25, 0.75]],
  [-4, -4, [-6, -2]],
  [null, null, [0, 1]],
])("a line that stays between %s and %s is drawn in %s", (low, high, range) => {
  expect(rangeOf(null, low, high)).toEqual(range);
});
