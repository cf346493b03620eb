// A cube with eyes. The body keeps its axes, as the collider does; the eyes slide round it to where it looks.
import { BoxGeometry, Color, GreaterDepth, Group, Mesh, MeshBasicMaterial, MeshLambertMaterial, MeshStandardMaterial, SphereGeometry } from "three";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import { contactShadow } from "../three/contactShadow";
import { WHITE } from "../three/white";
import { directionOf, Seen, type Agent } from "./state";

const EYE_APART = 0.36; // radians from the middle of the face to an eye
const EYE_RADIUS = 0.17; // of the edge
const EYE_HEIGHT = 0.62;
const STRETCH = 0.035; // taller by this share a m/s up or down
const BROW_SLANT = 0.45; // radians: a seeker frowns
const HIDER_EYE = 1.12; // as large as a seeker's
const BLINK_EVERY_TICKS = 190;
const BLINK_TICKS = 8;

export class Figure {
  readonly group = new Group();
  readonly #skin: MeshStandardMaterial | MeshLambertMaterial;
  readonly #ghost: Mesh; // shines through what stands before it
  readonly #ghostSkin = new MeshBasicMaterial({ map: WHITE, transparent: true, opacity: 0.32, depthFunc: GreaterDepth, depthWrite: false });
  readonly #shape = new Group();
  readonly #eyes: Group[];
  readonly #brows: Group[]; // of a seeker
  readonly #shadow: ReturnType<typeof contactShadow>;
  readonly #edge: number;
  #colours: { seeker: string; hider: string };

  /** plain: of no more kinds of material than the arena is. */
  constructor(edge: number, colours: { seeker: string; hider: string }, plain: boolean) {
    this.#edge = edge;
    this.#colours = colours;
    this.#skin = plain ? new MeshLambertMaterial({ map: WHITE }) : new MeshStandardMaterial({ roughness: 0.55, metalness: 0.02 });
    const body = new Mesh(new RoundedBoxGeometry(edge, edge, edge, 4, edge * 0.16), this.#skin);
    body.position.y = edge / 2;
    body.castShadow = true;
    this.#ghost = new Mesh(body.geometry, this.#ghostSkin);
    this.#ghost.position.copy(body.position);
    this.#eyes = [-1, 1].map(() => makeEye(edge));
    this.#brows = [-1, 1].map((side) => makeBrow(edge, side));
    this.#shape.add(body, this.#ghost, ...this.#eyes, ...this.#brows);
    this.#shadow = contactShadow(edge * 1.7);
    this.group.add(this.#shape, this.#shadow);
  }

  paint(colours: { seeker: string; hider: string }): void {
    this.#colours = colours;
  }

  /** hidden: the camera sits in these eyes. shines: it is seen through what stands before it. */
  show(agent: Agent, number: number, tick: number, { hidden, shines }: { hidden: boolean; shines: boolean }): void {
    this.group.visible = !hidden;
    this.#ghost.visible = shines;
    this.group.position.set(...agent.place);
    const colour = new Color(agent.seeker ? this.#colours.seeker : this.#colours.hider);
    this.#skin.color.copy(agent.out ? colour.lerp(new Color("#888888"), 0.7) : colour);
    this.#skin.emissive.copy(this.#skin.color).multiplyScalar(agent.immune ? 0.35 : 0.08);
    this.#ghostSkin.color.copy(this.#skin.color);
    this.#stretch(agent);
    this.#look(agent, blinking(tick, number));
    this.#shadow.position.y = 0.02 - agent.place[1];
    this.#shadow.material.opacity = 0.42 / (1 + agent.place[1] * 1.5);
  }

  #stretch({ velocity, out, onFloor }: Agent): void {
    const tall = out ? 0.35 : 1 + (onFloor ? 0 : Math.min(0.22, Math.abs(velocity[1]) * STRETCH));
    const wide = out ? 1.15 : 1 / Math.sqrt(tall);
    this.#shape.scale.set(wide, tall, wide);
  }

  #look(agent: Agent, blink: boolean): void {
    const half = this.#edge / 2;
    const seesOne = agent.rays.some((ray) => ray.seen === Seen.Agent);
    this.#eyes.forEach((eye, i) => {
      const [x, z] = directionOf(agent.facing + (i ? -EYE_APART : EYE_APART));
      const [px, pz] = onRoundedSquare(x, z, half);
      eye.position.set(px, this.#edge * EYE_HEIGHT, pz);
      eye.rotation.y = agent.facing;
      const size = agent.seeker ? 1 : HIDER_EYE;
      eye.scale.set(size, size * (blink || agent.out ? 0.12 : seesOne ? 1.12 : 1), size);
      const brow = this.#brows[i];
      if (!brow) return;
      brow.visible = agent.seeker && !agent.out;
      brow.position.copy(eye.position);
      brow.rotation.y = agent.facing;
    });
  }

  dispose(): void {
    this.group.traverse((part) => {
      if (!(part instanceof Mesh)) return;
      part.geometry.dispose();
      for (const material of [part.material].flat()) material.dispose();
    });
  }
}

function blinking(tick: number, number: number): boolean {
  return (tick + number * 71) % BLINK_EVERY_TICKS < BLINK_TICKS && tick > BLINK_TICKS;
}

/** Where a direction from the middle leaves the body: between a circle and a square, as its corners are round. */
function onRoundedSquare(x: number, z: number, half: number): [number, number] {
  const length = (Math.abs(x) ** 6 + Math.abs(z) ** 6) ** (1 / 6);
  const reach = (half * 0.96) / length;
  return [x * reach, z * reach];
}

function makeEye(edge: number): Group {
  const radius = edge * EYE_RADIUS;
  const white = new Mesh(new SphereGeometry(radius, 18, 14), new MeshLambertMaterial({ map: WHITE, color: "#fffdf6", emissive: "#666258" }));
  const pupil = new Mesh(new SphereGeometry(radius * 0.56, 14, 10), new MeshLambertMaterial({ map: WHITE, color: "#10151a" }));
  const glint = new Mesh(new SphereGeometry(radius * 0.16, 8, 6), new MeshLambertMaterial({ map: WHITE, color: "#000000", emissive: "#ffffff" }));
  white.scale.set(0.92, 1.12, 0.72);
  pupil.position.z = -radius * 0.46;
  glint.position.set(radius * 0.2, radius * 0.3, -radius * 0.96);
  const eye = new Group();
  eye.add(white, pupil, glint);
  return eye;
}

/** side: -1 over the left eye, 1 over the right one; the inner ends are the lower ones. */
function makeBrow(edge: number, side: number): Group {
  const radius = edge * EYE_RADIUS;
  const bar = new Mesh(new BoxGeometry(radius * 2.1, radius * 0.5, radius * 0.7), new MeshLambertMaterial({ map: WHITE, color: "#5a0f08" }));
  bar.position.set(0, radius * 1.05, -radius * 0.35);
  bar.rotation.z = side * BROW_SLANT;
  const brow = new Group();
  brow.add(bar);
  return brow;
}
