// What is drawn for the eye alone: the line down to the ground with a tick each 100 m, and where the craft has been.
import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Group, LineBasicMaterial, LineSegments, Points, PointsMaterial, Vector3 } from "three";
import { contactShadow } from "../three/contactShadow";
import { dispose } from "../three/dispose";
import type { Vector } from "../three/motion";
import type { Look } from "./look";
import { heightAt, reader, type LandingState } from "./state";

const TICK_M = 100;
const MOST_TICKS = 16; // up to the ceiling of the rules
const TICK_LENGTH = 0.012; // of the picture's height
const DOT_PIXELS = 3.5;
const SHADOW_M = 3.4;

export class Guides {
  readonly group = new Group();
  readonly #line: LineSegments<BufferGeometry, LineBasicMaterial>;
  readonly #dots: Points<BufferGeometry, PointsMaterial>;
  readonly #shadow = contactShadow(SHADOW_M);
  #colour: Color;

  constructor(look: Look) {
    this.#colour = new Color(look.guide);
    const line = new BufferGeometry();
    line.setAttribute("position", changing(3, 2 * (MOST_TICKS + 1)));
    this.#line = new LineSegments(line, new LineBasicMaterial({ color: look.guide, transparent: true, opacity: 0.7 }));
    const dots = new BufferGeometry();
    dots.setAttribute("position", changing(3, reader.pastSteps + 1));
    dots.setAttribute("color", changing(4, reader.pastSteps + 1));
    this.#dots = new Points(dots, new PointsMaterial({ size: DOT_PIXELS, sizeAttenuation: false, vertexColors: true, transparent: true, depthWrite: false }));
    this.#line.frustumCulled = this.#dots.frustumCulled = false;
    this.group.add(this.#line, this.#dots, this.#shadow);
  }

  /** tall: metres that the picture is high at the craft; right: the camera's. */
  show(state: LandingState, past: readonly LandingState[], tall: number, right: Vector3, scale: number): void {
    this.#showLine(state, tall, right);
    this.#showDots([...past, state].map(({ place }) => place));
    const { place: [x, y, z], terrain } = state;
    const ground = heightAt(terrain, x, z);
    this.#shadow.position.set(x, ground + 0.06 + 0.004 * tall, z);
    this.#shadow.scale.setScalar(scale);
    this.#shadow.material.opacity = 0.55 / (1 + Math.max(0, y - ground) / 60);
  }

  #showLine({ place: [x, y, z], terrain }: LandingState, tall: number, right: Vector3): void {
    const places = this.#line.geometry.getAttribute("position") as BufferAttribute;
    const ground = heightAt(terrain, x, z);
    places.setXYZ(0, x, y, z);
    places.setXYZ(1, x, ground, z);
    const arm = right.clone().multiplyScalar(TICK_LENGTH * tall);
    let used = 2;
    for (let height = TICK_M; height < y && used < 2 * MOST_TICKS; height += TICK_M) {
      places.setXYZ(used++, x - arm.x, height, z - arm.z);
      places.setXYZ(used++, x + arm.x, height, z + arm.z);
    }
    this.#line.geometry.setDrawRange(0, used);
    places.needsUpdate = true;
  }

  /** A dot a decision, oldest first: the wider apart, the faster. */
  #showDots(path: readonly Vector[]): void {
    const places = this.#dots.geometry.getAttribute("position") as BufferAttribute;
    const colours = this.#dots.geometry.getAttribute("color") as BufferAttribute;
    const { r, g, b } = this.#colour;
    path.forEach(([x, y, z], i) => {
      places.setXYZ(i, x, y, z);
      colours.setXYZW(i, r, g, b, (0.9 * (i + 1)) / path.length);
    });
    this.#dots.geometry.setDrawRange(0, Math.max(0, path.length - 1)); // the last is the craft itself
    places.needsUpdate = colours.needsUpdate = true;
  }

  dispose(): void {
    dispose(this.group, this.#shadow.material.map ? [this.#shadow.material.map] : []);
  }
}

function changing(size: number, count: number): BufferAttribute {
  return new BufferAttribute(new Float32Array(size * count), size).setUsage(DynamicDrawUsage);
}
