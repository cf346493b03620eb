import { expect, test } from "vitest";
import { Quality } from "../../../../src/parts/three/quality";

function drawn(quality: Quality, pictures: number, milliseconds: number): number {
  return Array.from({ length: pictures }, () => quality.spent(milliseconds)).filter(Boolean).length;
}

test("sixty and thirty pictures a second keep the quality", () => {
  const quality = new Quality();
  expect(drawn(quality, 500, 16.7) + drawn(quality, 500, 33.4)).toBe(0);
  expect(quality.shadowPixels).toBeGreaterThan(0);
});

test("a machine known to be slow starts plainly and rests well", () => {
  const quality = new Quality(true);
  expect(quality.shadowPixels).toBe(0);
  expect(quality.rest(true)).toBe(true);
  expect(quality.shadowPixels).toBeGreaterThan(0);
});

test("a single slow picture lowers nothing", () => {
  const quality = new Quality();
  for (let i = 0; i < 20; i++) expect(drawn(quality, 1, 900) + drawn(quality, 10, 16)).toBe(0);
});

test("slow pictures lose pixels first and shadows last, and very slow ones soon", () => {
  const quality = new Quality();
  const before = quality.pixelRatio;
  expect(drawn(quality, 12, 50)).toBe(1);
  expect(quality.pixelRatio).toBeLessThan(before);
  expect(quality.shadowPixels).toBeGreaterThan(0);
  expect(drawn(quality, 6, 250)).toBe(2);
  expect(quality.shadowPixels).toBe(0);
  expect(drawn(quality, 100, 250)).toBe(0);
});

test("a picture that rests is as good as the first, and motion is quick again", () => {
  const quality = new Quality();
  expect(quality.rest(true)).toBe(false);
  expect(quality.rest(false)).toBe(false);
  const best = [quality.pixelRatio, quality.shadowPixels];
  drawn(quality, 30, 250);
  const low = [quality.pixelRatio, quality.shadowPixels];
  expect(quality.rest(true)).toBe(true);
  expect([quality.pixelRatio, quality.shadowPixels]).toEqual(best);
  expect(quality.rest(false)).toBe(true);
  expect([quality.pixelRatio, quality.shadowPixels]).toEqual(low);
});
