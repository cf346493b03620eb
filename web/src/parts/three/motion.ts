// Moments between two steps: numbers, angles and places.

export type Vector = readonly [number, number, number]; // metres; y is up

export type Moving = { place: Vector; velocity: Vector }; // m, m/s

export function mix(from: number, to: number, share: number): number {
  return from + (to - from) * share;
}

export function mixAll<T extends readonly number[]>(from: T, to: T, share: number): T {
  return from.map((value, i) => mix(value, to[i] ?? value, share)) as unknown as T;
}

/** An angle as the turn of at most half a circle that it comes to. */
export function shortTurn(angle: number): number {
  return angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
}

const SLACK_M = 0.05; // that a path may swing beyond its two ends

/**
 * A place on the cubic that has both ends' velocities, so that a jump is the parabola it was. A wall stops a body at
 * once; the cubic would swing out past it, so it is kept between its ends.
 */
export function along(from: Moving, to: Moving, share: number, seconds: number): Vector {
  const s2 = share * share;
  const s3 = s2 * share;
  const point = from.place.map((start, axis) => {
    const end = to.place[axis] ?? start;
    const leave = (from.velocity[axis] ?? 0) * seconds;
    const arrive = (to.velocity[axis] ?? 0) * seconds;
    const cubic = (2 * s3 - 3 * s2 + 1) * start + (s3 - 2 * s2 + share) * leave + (3 * s2 - 2 * s3) * end + (s3 - s2) * arrive;
    return Math.min(Math.max(cubic, Math.min(start, end) - SLACK_M), Math.max(start, end) + SLACK_M);
  });
  return point as unknown as Vector;
}
