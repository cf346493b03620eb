// The sixteen rays of the observation, on the floor; they keep to the axes of the world however the head turns.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, LineBasicMaterial, LineSegments } from "three";
import type { Look } from "./look";
import type { NavigationState } from "./state";

const HEIGHT_M = 0.06;

export class Rays {
  readonly lines: LineSegments<BufferGeometry, LineBasicMaterial>;

  constructor(rays: number, look: Look) {
    const shape = new BufferGeometry();
    shape.setAttribute("position", new BufferAttribute(new Float32Array(rays * 6), 3).setUsage(DynamicDrawUsage));
    this.lines = new LineSegments(shape, new LineBasicMaterial({ color: look.ray, transparent: true, opacity: 0.75, depthWrite: false }));
    this.lines.frustumCulled = false;
  }

  show({ place: [x, , z], playerRadius, rays }: NavigationState): void {
    const places = this.lines.geometry.getAttribute("position") as BufferAttribute;
    rays.forEach((distance, i) => {
      const angle = (i / rays.length) * 2 * Math.PI;
      const [dx, dz] = [Math.cos(angle), Math.sin(angle)];
      const near = Math.min(playerRadius, distance);
      places.setXYZ(2 * i, x + dx * near, HEIGHT_M, z + dz * near);
      places.setXYZ(2 * i + 1, x + dx * distance, HEIGHT_M, z + dz * distance);
    });
    places.needsUpdate = true;
  }

  dispose(): void {
    this.lines.geometry.dispose();
    this.lines.material.dispose();
  }
}
