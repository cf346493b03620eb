// The 3D scene of one descent; shows the moment that it is given.
import { BufferAttribute, BufferGeometry, Group, Points, PointsMaterial, Vector3 } from "three";
import { Confetti } from "../three/confetti";
import { dispose } from "../three/dispose";
import { Scene3D, type Label, type Moment, type Theme } from "../three/scene";
import { scatter } from "../three/textures";
import { Cameras, type CameraMode } from "./cameras";
import { Craft } from "./craft";
import { makeBeacon, makeGround } from "./ground";
import { Guides } from "./guides";
import { lookOf, type Look } from "./look";
import { Ending, heightAt, type LandingState } from "./state";
import { metres } from "./words";

export type Options = { camera: CameraMode };

const CRAFT_M = 3.4; // from feet to mast
const LEAST_CRAFT = 0.075; // of the picture's height: farther away it is drawn larger than it is
const LEAST_BEACON = 0.03;
const SUN_HALF_M = 30; // round the craft, in which shadows fall
const STARS = 420;
const BURSTS: Readonly<Record<number, readonly string[]>> = {
  [Ending.Soft]: ["#9be5a9", "#fff6dd", "#e8c47a"],
  [Ending.Hard]: ["#c9b79a", "#8d8478", "#e8c47a"],
  [Ending.Crash]: ["#ff7a2f", "#ffd34d", "#57524c"],
};

export class LandingScene extends Scene3D<Moment<LandingState>, Options> {
  readonly #cameras = new Cameras();
  readonly #burst = new Confetti();
  readonly #stars = stars();
  #look: Look;
  #key = "";
  #ground: Group | null = null;
  #beacon: ReturnType<typeof makeBeacon> | null = null;
  #craft: Craft | null = null;
  #guides: Guides | null = null;

  constructor(canvas: HTMLCanvasElement, theme: Theme) {
    super(canvas);
    this.#look = lookOf(theme);
    this.scene.add(this.#burst.points, this.#stars);
    this.setTheme(theme);
  }

  protected get camera() {
    return this.#cameras.camera;
  }

  /** From above, up is north. */
  override get yaw(): number {
    return this.#cameras.mode === "top" ? 0 : super.yaw;
  }

  setTheme(theme: Theme): void {
    this.#look = lookOf(theme);
    this.#key = "";
    this.#stars.visible = theme === "dark";
    this.light(this.#look);
  }

  choose({ camera }: Options): void {
    this.#cameras.mode = camera;
  }

  turn(dx: number, dy: number): void {
    this.#cameras.turn(dx, dy);
  }

  key(): string {
    const { mode, azimuth, elevation } = this.#cameras;
    return [mode, azimuth, elevation].join();
  }

  protected fit(width: number, height: number): void {
    this.#cameras.resize(width, height);
  }

  protected arrange({ state, past, sinceEnd }: Moment<LandingState>, seconds: number): boolean {
    void seconds; // every camera's place follows from the moment alone
    this.#build(state);
    this.#cameras.follow(state);
    const place = new Vector3(...state.place);
    const tall = this.#cameras.heightAt(place);
    const scale = Math.max(1, (LEAST_CRAFT * tall) / CRAFT_M);
    this.#craft?.show(state, scale, state.ending === Ending.Crash);
    this.#guides?.show(state, past, tall, new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0), scale);
    this.#showBeacon(state);
    const ground = heightAt(state.terrain, state.place[0], state.place[2]);
    this.placeSun(SUN_HALF_M, [state.place[0], ground, state.place[2]]);
    const colours = BURSTS[state.ending];
    this.#burst.show([state.place[0], ground, state.place[2]], colours ?? [], colours ? sinceEnd : -1);
    return this.#burst.points.visible;
  }

  #showBeacon({ padRadius }: LandingState): void {
    if (!this.#beacon) return;
    const radius = LEAST_BEACON * this.#cameras.heightAt(new Vector3());
    this.#beacon.visible = radius > 2.5 * padRadius;
    this.#beacon.scale.setScalar(radius);
  }

  /** Ground and craft of this episode; anew only when it is another one. */
  #build(state: LandingState): void {
    const key = JSON.stringify([state.terrain, state.padRadius, state.legLength, state.legSpread]);
    if (key === this.#key) return;
    this.undress();
    this.clear();
    this.#key = key;
    this.#ground = makeGround(state, this.#look, this.plain);
    this.#beacon = makeBeacon(this.#look);
    this.#beacon.position.y = 0.5;
    this.#craft = new Craft(state, this.#look);
    this.#guides = new Guides(this.#look);
    this.scene.add(this.#ground, this.#beacon, this.#craft.group, this.#guides.group);
  }

  labels({ state }: Moment<LandingState>): Label[] {
    const [x, y, z] = state.place;
    const tall = this.#cameras.heightAt(new Vector3(x, y, z));
    const craft = this.labelAt([x, y + Math.max(2.4, LEAST_CRAFT * 0.75 * tall), z]);
    const pad = this.labelAt([0, 0, 0]);
    const near = Math.hypot(pad.x - craft.x, pad.y - craft.y) < 90 || y < 12;
    return [
      { ...craft, text: `${metres(y)} m`, className: "landing-label-craft", shown: craft.shown && !near },
      { ...pad, text: "pad", className: "landing-label-pad", shown: pad.shown && !near },
    ];
  }

  protected clear(): void {
    for (const part of [this.#ground, this.#beacon, this.#craft?.group, this.#guides?.group]) if (part) this.scene.remove(part);
    if (this.#ground) dispose(this.#ground);
    if (this.#beacon) dispose(this.#beacon);
    this.#craft?.dispose();
    this.#guides?.dispose();
  }

  override dispose(): void {
    super.dispose();
    this.#burst.dispose();
    dispose(this.#stars);
  }
}

function stars(): Points {
  const random = scatter(42);
  const places = new Float32Array(STARS * 3);
  for (let i = 0; i < STARS; i++) {
    const turn = random() * 2 * Math.PI;
    const height = 0.04 + 0.94 * random();
    const flat = Math.sqrt(1 - height * height);
    places.set([Math.cos(turn) * flat * 6000, height * 6000, Math.sin(turn) * flat * 6000], i * 3);
  }
  const shape = new BufferGeometry();
  shape.setAttribute("position", new BufferAttribute(places, 3));
  const points = new Points(shape, new PointsMaterial({ size: 1.6, sizeAttenuation: false, color: "#cfd8e6", transparent: true, opacity: 0.75, depthWrite: false }));
  points.frustumCulled = false;
  return points;
}
