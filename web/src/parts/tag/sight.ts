// What an agent's rays reach, as a pool of light on the ground, and a thread to each ray that meets somebody.
import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial } from "three";
import { directionOf, Seen, type Agent } from "./state";

const GROUND_M = 0.035; // above the floor, so that the two never fight for a pixel
const NEAR_ALPHA = 0.36;
const FAR_ALPHA = 0.07;
const HIT_ALPHA = 0.85;

export class Sight {
  readonly group = new Group();
  readonly #fan: Mesh<BufferGeometry, MeshBasicMaterial>;
  readonly #threads: LineSegments<BufferGeometry, LineBasicMaterial>;
  readonly #rays: number;
  readonly #spread: number; // radians

  constructor(rays: number, spread: number, number: number) {
    this.#rays = rays;
    this.#spread = spread;
    this.#fan = new Mesh(fanShape(rays), new MeshBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
    this.#threads = new LineSegments(threadShape(rays), new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
    this.#fan.renderOrder = 2 + number;
    this.#fan.position.y = GROUND_M + number * 0.004;
    this.#fan.frustumCulled = this.#threads.frustumCulled = false;
    this.group.add(this.#fan, this.#threads);
  }

  show(agent: Agent, colour: string, eyeHeight: number): void {
    this.group.visible = !agent.out;
    if (agent.out) return;
    const paint = new Color(colour);
    const ends = agent.rays.map((ray, i) => this.#end(agent, ray.distance, i));
    this.#showFan(agent, ends, paint);
    this.#showThreads(agent, ends, paint, eyeHeight);
  }

  #end(agent: Agent, distance: number, ray: number): readonly [number, number] {
    const angle = agent.facing + this.#spread * (ray / Math.max(1, this.#rays - 1) - 0.5);
    const [x, z] = directionOf(angle);
    return [agent.place[0] + x * distance, agent.place[2] + z * distance];
  }

  #showFan(agent: Agent, ends: readonly (readonly [number, number])[], paint: Color): void {
    const places = attribute(this.#fan, "position");
    const colours = attribute(this.#fan, "color");
    places.setXYZ(0, agent.place[0], 0, agent.place[2]);
    colours.setXYZW(0, paint.r, paint.g, paint.b, NEAR_ALPHA);
    ends.forEach(([x, z], i) => {
      const hit = agent.rays[i]?.seen === Seen.Agent;
      places.setXYZ(i + 1, x, 0, z);
      colours.setXYZW(i + 1, paint.r, paint.g, paint.b, hit ? HIT_ALPHA : FAR_ALPHA);
    });
    places.needsUpdate = colours.needsUpdate = true;
  }

  #showThreads(agent: Agent, ends: readonly (readonly [number, number])[], paint: Color, eyeHeight: number): void {
    const places = attribute(this.#threads, "position");
    const colours = attribute(this.#threads, "color");
    const height = agent.place[1] + eyeHeight;
    let used = 0;
    ends.forEach(([x, z], i) => {
      if (agent.rays[i]?.seen !== Seen.Agent) return;
      places.setXYZ(used, agent.place[0], height, agent.place[2]);
      places.setXYZ(used + 1, x, height, z);
      colours.setXYZW(used, paint.r, paint.g, paint.b, 0.1);
      colours.setXYZW(used + 1, paint.r, paint.g, paint.b, 0.9);
      used += 2;
    });
    this.#threads.visible = used > 0;
    this.#threads.geometry.setDrawRange(0, used);
    places.needsUpdate = colours.needsUpdate = true;
  }

  dispose(): void {
    for (const part of [this.#fan, this.#threads]) {
      part.geometry.dispose();
      part.material.dispose();
    }
  }
}

function attribute(part: { geometry: BufferGeometry }, name: string): BufferAttribute {
  return part.geometry.getAttribute(name) as BufferAttribute;
}

function changing(size: number, count: number): BufferAttribute {
  return new BufferAttribute(new Float32Array(size * count), size).setUsage(DynamicDrawUsage);
}

function fanShape(rays: number): BufferGeometry {
  const shape = new BufferGeometry();
  shape.setAttribute("position", changing(3, rays + 1));
  shape.setAttribute("color", changing(4, rays + 1));
  shape.setIndex(Array.from({ length: rays - 1 }, (_, i) => [0, i + 1, i + 2]).flat()); // seen from above
  return shape;
}

function threadShape(rays: number): BufferGeometry {
  const shape = new BufferGeometry();
  shape.setAttribute("position", changing(3, rays * 2));
  shape.setAttribute("color", changing(4, rays * 2));
  return shape;
}
