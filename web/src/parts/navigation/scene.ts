// The 3D scene of one walk; shows the moment that it is given.
import { Group } from "three";
import { Confetti } from "../three/confetti";
import { dispose } from "../three/dispose";
import { Scene3D, type Label, type Moment, type Theme } from "../three/scene";
import { Trail } from "../three/trail";
import { WHITE } from "../three/white";
import { Cameras, type CameraMode } from "./cameras";
import { lookOf, type Look } from "./look";
import { makeGoal, makeMaze } from "./maze";
import { Rays } from "./rays";
import { distanceOf, Ending, reader, type NavigationState } from "./state";
import { Walker } from "./walker";

export type Options = { camera: CameraMode; rays: boolean };

const TOP_SCALE = 2.2; // from above, the walker is drawn larger than it is
const SIGN_M = 3.9; // over which the goal's label stands

export class NavigationScene extends Scene3D<Moment<NavigationState>, Options> {
  readonly #cameras = new Cameras();
  readonly #burst = new Confetti();
  readonly #trail = new Trail(reader.pastSteps);
  #raysShown = true;
  #look: Look;
  #key = "";
  #maze: Group | null = null;
  #goal: Group | null = null;
  #walker: Walker | null = null;
  #rays: Rays | null = null;

  constructor(canvas: HTMLCanvasElement, theme: Theme) {
    super(canvas);
    this.#look = lookOf(theme);
    this.scene.add(this.#burst.points, this.#trail.mesh);
    this.light(this.#look);
  }

  protected get camera() {
    return this.#cameras.camera;
  }

  setTheme(theme: Theme): void {
    this.#look = lookOf(theme);
    this.#key = "";
    this.light(this.#look);
  }

  choose({ camera, rays }: Options): void {
    this.#cameras.choose(camera);
    this.#raysShown = rays;
  }

  turn(dx: number, dy: number): void {
    this.#cameras.turn(dx, dy);
  }

  key(): string {
    const { mode, azimuth, elevation } = this.#cameras;
    return [mode, azimuth, elevation, this.#raysShown].join();
  }

  protected fit(width: number, height: number): void {
    this.#cameras.resize(width, height);
  }

  protected arrange({ state, past, sinceEnd }: Moment<NavigationState>, seconds: number): boolean {
    this.#build(state);
    const moving = this.#cameras.follow(state, seconds);
    const inside = this.#cameras.mode === "eyes";
    this.#walker?.show(state, inside, this.#cameras.mode === "top" ? TOP_SCALE : 1);
    this.#trail.show([...past, state].map(({ place }) => place), this.#look.trail);
    this.#trail.mesh.visible &&= !inside;
    this.#rays?.show(state);
    if (this.#rays) this.#rays.lines.visible = this.#raysShown && !inside;
    const [x, z] = state.goal;
    this.#burst.show([x, 0.2, z], [this.#look.goal, "#fff6dd", "#e8c47a"], state.ending === Ending.Goal ? sinceEnd : -1);
    return moving || this.#burst.points.visible;
  }

  /** The grid of this episode; anew only when it is another one. */
  #build(state: NavigationState): void {
    const { grid, goal, goalRadius, playerRadius, headHeight, rays } = state;
    const key = JSON.stringify([grid, goal, goalRadius, playerRadius, headHeight, rays.length]);
    if (key === this.#key) return;
    this.undress();
    this.clear();
    this.#key = key;
    this.#maze = makeMaze(state, this.#look, this.plain);
    this.#goal = makeGoal(state, this.#look);
    this.#walker = new Walker(state, this.#look);
    this.#rays = new Rays(rays.length, this.#look);
    this.scene.add(this.#maze, this.#goal, this.#walker.group, this.#rays.lines);
    this.placeSun(0.5 * grid.cells * grid.size);
  }

  labels({ state }: Moment<NavigationState>): Label[] {
    const [x, z] = state.goal;
    const { place } = state;
    return [
      { ...this.labelWithin([x, SIGN_M, z]), text: `goal · ${distanceOf(state).toFixed(1)} m`, className: "navigation-label-goal" },
      { ...this.labelAt([place[0], place[1] + SIGN_M, place[2]]), shown: this.#cameras.mode === "top", className: "navigation-label-walker" },
    ];
  }

  protected clear(): void {
    for (const part of [this.#maze, this.#goal, this.#walker?.group, this.#rays?.lines]) if (part) this.scene.remove(part);
    if (this.#maze) dispose(this.#maze);
    if (this.#goal) dispose(this.#goal, [WHITE]);
    this.#walker?.dispose();
    this.#rays?.dispose();
  }

  override dispose(): void {
    super.dispose();
    this.#burst.dispose();
    this.#trail.dispose();
  }
}
