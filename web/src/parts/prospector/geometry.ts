// Where things stand in the sector view, which is 360 by 260 units with the ship in the middle. A slot keeps its
// angle, so a pilot finds the same asteroid in the same place; what is known better lies nearer.
import type { Rock } from "./belt";

export const WIDTH = 360;
export const HEIGHT = 260;
export const CENTER = { x: WIDTH / 2, y: HEIGHT / 2 };
export const SLOTS = 16;
export const FAR = 92;
export const NEAR = 72;

export type Point = { x: number; y: number };
export type RockSize = "large" | "medium" | "small";

export function slotAngle(slot: number): number {
  return (2 * Math.PI * slot) / SLOTS;
}

export function rockDistance(confidence: number): number {
  return FAR - (FAR - NEAR) * Math.min(1, Math.max(0, confidence));
}

export function around(angle: number, distance: number, center: Point = CENTER): Point {
  return { x: center.x + Math.cos(angle) * distance, y: center.y + Math.sin(angle) * distance };
}

export function rockPlace(rock: Pick<Rock, "slot" | "confidence">): Point {
  return around(slotAngle(rock.slot), rockDistance(rock.confidence));
}

export function rockSize(depletion: number): RockSize {
  return depletion <= 0.33 ? "large" : depletion <= 0.66 ? "medium" : "small";
}

export const ROCK_RADIUS: Record<RockSize, number> = { large: 13, medium: 10, small: 7 };

export type ThreatLevel = "low" | "middle" | "high";

export function threatLevel(threat: number): ThreatLevel {
  return threat >= 0.75 ? "high" : threat >= 0.45 ? "middle" : "low";
}

/** Small whole numbers from a place, for outlines and stars: no randomness, the same picture every time. */
export function scatter(seed: number): () => number {
  let state = (seed * 2654435761 + 974711) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

export function pointList(points: readonly Point[]): string {
  return points.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
}

/** A piece of a ring from share `from` to share `to` of a full turn, beginning at the top. */
export function arc(center: Point, radius: number, from: number, to: number): string {
  const end = Math.min(to, from + 0.9999); // a whole ring would begin where it ends, and draw nothing
  const [a, b] = [from, end].map((share) => around(share * 2 * Math.PI - Math.PI / 2, radius, center)) as [Point, Point];
  const large = end - from > 0.5 ? 1 : 0;
  return `M${a.x.toFixed(2)} ${a.y.toFixed(2)}A${radius} ${radius} 0 ${large} 1 ${b.x.toFixed(2)} ${b.y.toFixed(2)}`;
}
