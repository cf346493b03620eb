// The moment an episode ends: a burst, over in two seconds.
import { BufferAttribute, BufferGeometry, Color, Points, PointsMaterial } from "three";
import type { Vector } from "./motion";

const PIECES = 140;
export const BURST_SECONDS = 2.2;

export class Confetti {
  readonly points: Points<BufferGeometry, PointsMaterial>;
  readonly #speed = new Float32Array(PIECES * 3);

  constructor() {
    const shape = new BufferGeometry();
    shape.setAttribute("position", new BufferAttribute(new Float32Array(PIECES * 3), 3));
    shape.setAttribute("color", new BufferAttribute(new Float32Array(PIECES * 3), 3));
    this.points = new Points(shape, new PointsMaterial({ size: 0.2, vertexColors: true, transparent: true, depthWrite: false }));
    this.points.frustumCulled = false;
    this.points.visible = false;
    for (let i = 0; i < PIECES; i++) {
      const turn = i * 2.39996; // the golden angle spreads them evenly without chance
      const rise = 3.5 + 4 * ((i * 0.618) % 1);
      const out = 1.2 + 3.4 * ((i * 0.414) % 1);
      this.#speed.set([Math.cos(turn) * out, rise, Math.sin(turn) * out], i * 3);
    }
  }

  /** age: seconds since the end; outside the burst nothing is drawn. colours: of its pieces, in turn. */
  show(from: Vector, colours: readonly string[], age: number): void {
    this.points.visible = age >= 0 && age < BURST_SECONDS;
    if (!this.points.visible) return;
    const places = this.points.geometry.getAttribute("position") as BufferAttribute;
    const tints = this.points.geometry.getAttribute("color") as BufferAttribute;
    const paints = colours.map((colour) => new Color(colour));
    for (let i = 0; i < PIECES; i++) {
      const [vx, vy, vz] = [this.#speed[i * 3] ?? 0, this.#speed[i * 3 + 1] ?? 0, this.#speed[i * 3 + 2] ?? 0];
      const height = from[1] + 0.8 + vy * age - 4.9 * age * age;
      places.setXYZ(i, from[0] + vx * age, Math.max(from[1] + 0.05, height), from[2] + vz * age);
      const paint = paints[i % paints.length];
      if (paint) tints.setXYZ(i, paint.r, paint.g, paint.b);
    }
    this.points.material.opacity = Math.min(1, (BURST_SECONDS - age) * 1.5);
    places.needsUpdate = tints.needsUpdate = true;
  }

  dispose(): void {
    this.points.geometry.dispose();
    this.points.material.dispose();
  }
}
