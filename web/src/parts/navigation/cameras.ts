// Cameras: behind the walker, through the headset, round the walker, from above.
import { PerspectiveCamera, Vector3 } from "three";
import { Rig } from "../three/rig";
import { aheadOf, type NavigationState } from "./state";

export type CameraMode = "behind" | "eyes" | "round" | "top";

const FOV = 46; // degrees
const EYES_FOV = 84;
const BEHIND = { back: 5.6, up: 7.4, ahead: 2.6 }; // metres: over the walls of a maze
const ROUND_M = 15;
const MARGIN = 1.04;

export class Cameras {
  readonly camera = new PerspectiveCamera(FOV, 1, 0.05, 400);
  azimuth = 0.4; // radians
  elevation = 0.95;
  readonly #rig = new Rig();
  #mode: CameraMode = "behind";

  get mode(): CameraMode {
    return this.#mode;
  }

  choose(mode: CameraMode): void {
    if (mode === this.#mode) return;
    this.#mode = mode;
    this.#rig.leap();
  }

  turn(dx: number, dy: number): void {
    this.azimuth -= dx * 0.006;
    this.elevation = Math.min(1.45, Math.max(0.2, this.elevation + dy * 0.005));
  }

  resize(width: number, height: number): void {
    this.camera.aspect = width / Math.max(1, height);
  }

  /** Takes its place for this moment. Returns whether it is still on its way. */
  follow(state: NavigationState, seconds: number): boolean {
    this.#lens(this.#mode === "eyes" ? EYES_FOV : FOV);
    if (this.#mode === "behind") return this.#behind(state, seconds);
    if (this.#mode === "eyes") this.#through(state);
    else if (this.#mode === "round") this.#round(state);
    else this.#fromAbove(state);
    return false;
  }

  #behind({ place: [x, y, z], yaw }: NavigationState, seconds: number): boolean {
    const [ax, az] = aheadOf(yaw);
    const place = new Vector3(x - ax * BEHIND.back, y + BEHIND.up, z - az * BEHIND.back);
    return this.#rig.glide(this.camera, place, new Vector3(x + ax * BEHIND.ahead, y + 0.5, z + az * BEHIND.ahead), seconds);
  }

  #through({ place: [x, y, z], yaw, roll, headHeight }: NavigationState): void {
    const [ax, az] = aheadOf(yaw);
    const { position, up } = this.camera;
    position.set(x, y + headHeight, z);
    up.set(0, 1, 0).applyAxisAngle(new Vector3(-ax, 0, -az), roll);
    this.camera.lookAt(x + ax, y + headHeight - 0.12, z + az);
  }

  #round({ place: [x, y, z] }: NavigationState): void {
    const flat = Math.cos(this.elevation) * ROUND_M;
    this.camera.position.set(x + Math.sin(this.azimuth) * flat, y + Math.sin(this.elevation) * ROUND_M, z + Math.cos(this.azimuth) * flat);
    this.camera.up.set(0, 1, 0);
    this.camera.lookAt(x, y + 0.8, z);
  }

  /** All of the grid, with north up. */
  #fromAbove({ grid: { cells, size } }: NavigationState): void {
    const half = (FOV * Math.PI) / 360;
    const narrow = Math.min(1, this.camera.aspect);
    this.camera.position.set(0, (0.5 * cells * size * MARGIN) / (Math.tan(half) * narrow), 0.001);
    this.camera.up.set(0, 0, -1);
    this.camera.lookAt(0, 0, 0);
  }

  #lens(fov: number): void {
    this.camera.fov = fov;
    this.camera.updateProjectionMatrix();
  }
}
