// Cameras: near all agents, round the arena, from above, behind an agent, or through its eyes.
import { PerspectiveCamera, Vector3 } from "three";
import { Rig } from "../three/rig";
import { directionOf, type Agent, type TagState } from "./state";

export type CameraMode = "both" | "orbit" | "top" | `chase:${number}` | `eyes:${number}`;

const FOV = 34; // degrees; narrow, so that near and far agents look nearly the same size
const CHASE = { back: 6.4, up: 3.7, ahead: 1.8 }; // metres
const EYE_HEIGHT = 0.62; // of the body's edge
const BOTH = { least: 14, margin: 2.6, settle: 0.55 }; // metres, metres, seconds
const LEAP_M = 6; // farther than this a camera jumps instead of flying: somebody scrubbed

export class Cameras {
  readonly camera = new PerspectiveCamera(FOV, 1, 0.05, 400);
  mode: CameraMode = "both";
  azimuth = 0.34; // radians
  elevation = 0.72;
  zoom = 1;
  #target = new Vector3();
  #distance = 0;
  #room = 1;
  #settled = false;
  readonly #rig = new Rig();
  readonly #viewSpread: number; // radians that an agent sees

  constructor(viewSpread: number) {
    this.#viewSpread = viewSpread;
  }

  choose(mode: CameraMode): void {
    this.mode = mode;
    this.#settled = false;
    this.#rig.leap();
  }

  /** Whose eyes the camera sits in; -1: nobody's. */
  get inside(): number {
    return this.mode.startsWith("eyes:") ? this.#followed : -1;
  }

  get #followed(): number {
    return Number(this.mode.split(":")[1] ?? -1);
  }

  /** The way it looks over the floor, as an agent's facing: what "forward" means to somebody who steers by it. */
  get yaw(): number {
    if (this.mode === "top") return 0;
    const ahead = this.camera.getWorldDirection(new Vector3());
    return Math.atan2(-ahead.x, -ahead.z);
  }

  turn(dx: number, dy: number): void {
    this.azimuth -= dx * 0.006;
    this.elevation = Math.min(1.45, Math.max(0.12, this.elevation + dy * 0.005));
  }

  zoomBy(factor: number): void {
    this.zoom = Math.min(3, Math.max(0.5, this.zoom * factor));
  }

  /** foot: the share of the picture's foot that something else covers; the scene moves up to stay clear of it. */
  resize(width: number, height: number, foot: number): void {
    this.camera.aspect = width / Math.max(1, height);
    this.#room = 1 - foot;
    this.camera.setViewOffset(width, height, 0, (foot / 2) * height, width, height);
  }

  /** Takes its place for this moment. Returns whether it is still on its way. */
  follow(state: TagState, seconds: number): boolean {
    const agent = state.agents[this.#followed];
    if (this.mode === "top") this.#fromAbove(state);
    else if (this.mode === "both") return this.#near(state, seconds);
    else if (!agent) this.#round(state);
    else if (this.mode.startsWith("eyes:")) this.#through(agent, state.bodyEdge);
    else return this.#behind(agent, seconds);
    return false;
  }

  #round(state: TagState): void {
    this.#stand(new Vector3(0, 0, -state.arenaHalf * 0.03), this.#wholeArena(state) / this.zoom);
  }

  /** How far away all of the arena fits into the window. */
  #wholeArena({ arenaHalf, wallHeight }: TagState): number {
    const [sideways, upright] = this.#halfAngles(FOV);
    const spread = arenaHalf * (Math.abs(Math.cos(this.azimuth)) + Math.abs(Math.sin(this.azimuth)));
    const wide = spread / Math.tan(sideways) + spread * Math.cos(this.elevation) * 0.5;
    const tall = (spread * Math.sin(this.elevation) + wallHeight * 0.5) / Math.tan(upright) + spread * Math.cos(this.elevation) * 0.35;
    return Math.max(wide, tall);
  }

  /** Close enough to read their eyes, far enough to hold all who are in play. */
  #near(state: TagState, seconds: number): boolean {
    const inPlay = state.agents.filter((agent) => !agent.out).map((agent) => new Vector3(...agent.place));
    const middle = inPlay.reduce((sum, place) => sum.add(place), new Vector3()).divideScalar(Math.max(1, inPlay.length));
    const reach = Math.max(...inPlay.map((place) => place.distanceTo(middle)), 0) + BOTH.margin;
    const [sideways, upright] = this.#halfAngles(FOV);
    const fits = Math.max(reach / Math.tan(sideways), (reach * (0.35 + Math.sin(this.elevation))) / Math.tan(upright) / 1.25);
    const distance = Math.min(Math.max(BOTH.least, fits), this.#wholeArena(state)) / this.zoom;
    const wanted = new Vector3(middle.x * 0.85, 0.3, middle.z * 0.85); // a little toward the middle: less of the outside
    const leap = !this.#settled || this.#target.distanceTo(wanted) > LEAP_M;
    const share = leap ? 1 : 1 - Math.exp(-seconds / BOTH.settle);
    this.#target.lerp(wanted, share);
    this.#distance += (distance - this.#distance) * share;
    this.#settled = true;
    this.#stand(this.#target, this.#distance);
    return this.#target.distanceTo(wanted) > 0.02 || Math.abs(this.#distance - distance) > 0.02;
  }

  #stand(target: Vector3, distance: number): void {
    const flat = Math.cos(this.elevation) * distance;
    this.camera.position.set(Math.sin(this.azimuth) * flat, Math.sin(this.elevation) * distance, Math.cos(this.azimuth) * flat).add(target);
    this.camera.up.set(0, 1, 0);
    this.camera.lookAt(target);
    this.#lens(FOV);
  }

  #fromAbove({ arenaHalf }: TagState): void {
    const [sideways, upright] = this.#halfAngles(FOV);
    const distance = (arenaHalf * 1.06) / Math.tan(Math.min(sideways, upright)) / this.zoom;
    this.camera.position.set(0, distance, 0.001);
    this.camera.up.set(0, 0, -1);
    this.camera.lookAt(0, 0, 0);
    this.#lens(FOV);
  }

  #behind(agent: Agent, seconds: number): boolean {
    const [x, z] = directionOf(agent.facing);
    const place = new Vector3(agent.place[0] - (x * CHASE.back) / this.zoom, agent.place[1] + CHASE.up / this.zoom, agent.place[2] - (z * CHASE.back) / this.zoom);
    const target = new Vector3(agent.place[0] + x * CHASE.ahead, agent.place[1] + 0.6, agent.place[2] + z * CHASE.ahead);
    const moving = this.#rig.glide(this.camera, place, target, seconds);
    this.#lens(50);
    return moving;
  }

  /** As wide as the agent sees; a tall window would show it more than it sees, so that is cut. */
  #through(agent: Agent, edge: number): void {
    const [x, z] = directionOf(agent.facing);
    const height = agent.place[1] + edge * EYE_HEIGHT;
    this.camera.position.set(agent.place[0], height, agent.place[2]);
    this.camera.up.set(0, 1, 0);
    this.camera.lookAt(agent.place[0] + x, height - 0.05, agent.place[2] + z);
    const upright = 2 * Math.atan(Math.tan(this.#viewSpread / 2) / this.camera.aspect);
    this.#lens(Math.min(100, (upright * 180) / Math.PI));
  }

  #halfAngles(fov: number): [number, number] {
    const upright = Math.atan(Math.tan((fov * Math.PI) / 360) * this.#room);
    return [Math.atan(Math.tan((fov * Math.PI) / 360) * this.camera.aspect), upright];
  }

  #lens(fov: number): void {
    this.camera.fov = fov;
    this.camera.updateProjectionMatrix();
  }
}
