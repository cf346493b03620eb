// A ribbon on the ground where a body has been, fading with age.
import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Mesh, MeshBasicMaterial } from "three";
import type { Vector } from "./motion";

const WIDTH_M = 0.32;
const HEIGHT_M = 0.05;
const ALPHA = 0.55;
const CORNERS_A_STEP = 12;

export class Trail {
  readonly mesh: Mesh<BufferGeometry, MeshBasicMaterial>;

  readonly #steps: number;

  /** steps: the most that it shows. */
  constructor(steps: number) {
    this.#steps = steps;
    const shape = new BufferGeometry();
    const points = (steps + 1) * 2;
    shape.setAttribute("position", new BufferAttribute(new Float32Array(points * 3), 3).setUsage(DynamicDrawUsage));
    shape.setAttribute("color", new BufferAttribute(new Float32Array(points * 4), 4).setUsage(DynamicDrawUsage));
    shape.setIndex(Array.from({ length: steps }, (_, i) => bothSides([2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 1, 2 * i + 3, 2 * i + 2])).flat());
    const material = new MeshBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false });
    this.mesh = new Mesh(shape, material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 12;
  }

  /** places: oldest first, the present one last. */
  show(places: readonly Vector[], colour: string): void {
    const points = this.mesh.geometry.getAttribute("position") as BufferAttribute;
    const colours = this.mesh.geometry.getAttribute("color") as BufferAttribute;
    const paint = new Color(colour);
    const recent = places.slice(-(this.#steps + 1));
    recent.forEach((place, i) => {
      const age = (i + 1) / recent.length;
      const [sideX, sideZ] = across(recent, i);
      const wide = WIDTH_M * 0.5 * (0.25 + 0.75 * age);
      const height = HEIGHT_M + Math.max(0, place[1]);
      points.setXYZ(2 * i, place[0] + sideX * wide, height, place[2] + sideZ * wide);
      points.setXYZ(2 * i + 1, place[0] - sideX * wide, height, place[2] - sideZ * wide);
      colours.setXYZW(2 * i, paint.r, paint.g, paint.b, ALPHA * age * age);
      colours.setXYZW(2 * i + 1, paint.r, paint.g, paint.b, ALPHA * age * age);
    });
    this.mesh.visible = recent.length > 1;
    this.mesh.geometry.setDrawRange(0, Math.max(0, recent.length - 1) * CORNERS_A_STEP);
    points.needsUpdate = colours.needsUpdate = true;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}

/** Which side of a ribbon is up depends on the way it turns. A material for both sides would be one more shader. */
function bothSides(corners: readonly number[]): number[] {
  return [...corners, ...corners.toReversed()];
}

/** The unit vector across the path at a point; none where nothing moved. */
function across(places: readonly Vector[], at: number): readonly [number, number] {
  const before = places[Math.max(0, at - 1)];
  const after = places[Math.min(places.length - 1, at + 1)];
  if (!before || !after) return [0, 0];
  const [dx, dz] = [after[0] - before[0], after[2] - before[2]];
  const length = Math.hypot(dx, dz);
  return length < 1e-4 ? [0, 0] : [dz / length, -dx / length];
}
