// Cameras: craft and pad together, close behind the craft, from the pad, from above.
import { PerspectiveCamera, Vector3 } from "three";
import { heightAt, type LandingState } from "./state";

export type CameraMode = "both" | "close" | "pad" | "top";

const FOV = 38; // degrees
const NEAREST_M = 17; // that the camera comes to the craft
const MARGIN = 1.32; // of what has to be in the picture
const CLOSE_M = 17;
const RAISED = { wide: 0.05, narrow: 0.14 }; // of the distance: room for words over the craft, which on a phone are wider than high
const ABOVE_GROUND_M = 1.2;
const PAD_VIEW = { back: 26, up: 2.2 }; // metres from the pad's centre, away from the craft
const OFF_PAD_M = 25; // who comes down farther away than this is looked at alone over the last metres

export class Cameras {
  readonly camera = new PerspectiveCamera(FOV, 1, 0.1, 8000);
  mode: CameraMode = "both";
  azimuth = 0.5; // radians
  elevation = 0.2;
  #padView = 0; // radians: where the camera at the pad stands

  turn(dx: number, dy: number): void {
    this.azimuth -= dx * 0.006;
    this.elevation = Math.min(1.45, Math.max(0.03, this.elevation + dy * 0.005));
  }

  resize(width: number, height: number): void {
    this.camera.aspect = width / Math.max(1, height);
  }

  follow(state: LandingState): void {
    if (this.mode === "close") this.#stand(this.#craft(state), CLOSE_M, state);
    else if (this.mode === "pad") this.#fromPad(state);
    else if (this.mode === "top") this.#fromAbove(state);
    else this.#together(state);
    this.camera.near = Math.max(0.1, this.camera.position.distanceTo(this.#craft(state)) * 0.02);
    this.camera.updateProjectionMatrix();
  }

  /** Metres that the picture is high at a place. */
  heightAt(place: Vector3): number {
    return 2 * this.camera.position.distanceTo(place) * Math.tan((FOV * Math.PI) / 360);
  }

  #craft({ place }: LandingState): Vector3 {
    return new Vector3(...place);
  }

  #together(state: LandingState): void {
    const craft = this.#craft(state);
    const pad = aimOf(state);
    const middle = craft.clone().add(pad).multiplyScalar(0.5);
    const apart = craft.clone().sub(pad);
    const right = new Vector3(Math.cos(this.azimuth), 0, -Math.sin(this.azimuth));
    const back = this.#back();
    const up = back.clone().cross(right);
    const [sideways, upright] = this.#halfAngles();
    const wide = (Math.abs(apart.dot(right)) / 2) * MARGIN;
    const tall = (Math.abs(apart.dot(up)) / 2) * MARGIN;
    const distance = Math.max(wide / Math.tan(sideways), tall / Math.tan(upright)) + Math.abs(apart.dot(back)) / 2 + NEAREST_M;
    middle.y += (this.camera.aspect < 1 ? RAISED.narrow : RAISED.wide) * distance;
    this.#stand(middle, distance, state);
  }

  /** From the target to the camera. */
  #back(): Vector3 {
    const flat = Math.cos(this.elevation);
    return new Vector3(Math.sin(this.azimuth) * flat, Math.sin(this.elevation), Math.cos(this.azimuth) * flat);
  }

  #stand(target: Vector3, distance: number, { terrain }: LandingState): void {
    const { position, up } = this.camera;
    position.copy(target).addScaledVector(this.#back(), distance);
    position.y = Math.max(position.y, heightAt(terrain, position.x, position.z) + ABOVE_GROUND_M);
    up.set(0, 1, 0);
    this.camera.fov = FOV;
    this.camera.lookAt(target);
  }

  /** Somebody on the ground looks up at the craft, across the pad; beside it the place would turn wildly, so it stays. */
  #fromPad({ place: [x, y, z], terrain }: LandingState): void {
    if (Math.hypot(x, z) > OFF_PAD_M) this.#padView = Math.atan2(-x, -z);
    const [px, pz] = [Math.sin(this.#padView) * PAD_VIEW.back, Math.cos(this.#padView) * PAD_VIEW.back];
    this.camera.position.set(px, heightAt(terrain, px, pz) + PAD_VIEW.up, pz);
    this.camera.up.set(0, 1, 0);
    this.camera.lookAt(x, y, z);
    this.camera.fov = FOV;
  }

  #fromAbove(state: LandingState): void {
    const { place: [x, y, z] } = state;
    const [sideways, upright] = this.#halfAngles();
    const reach = (Math.hypot(x, z) / 2 + 8) * MARGIN;
    const above = reach / Math.tan(Math.min(sideways, upright));
    this.camera.position.set(x / 2, Math.max(y + 14, above), z / 2);
    this.camera.up.set(0, 0, -1);
    this.camera.lookAt(x / 2, 0, z / 2);
    this.camera.fov = FOV;
  }

  #halfAngles(): [sideways: number, upright: number] {
    const upright = (FOV * Math.PI) / 360;
    return [Math.atan(Math.tan(upright) * this.camera.aspect), upright];
  }
}

/** What is looked at besides the craft: the pad, or over the last metres beside it the ground where the craft comes down. */
function aimOf({ place: [x, y, z], terrain }: LandingState): Vector3 {
  const away = Math.hypot(x, z);
  const below = new Vector3(x, heightAt(terrain, x, z), z);
  if (away <= OFF_PAD_M) return new Vector3();
  const share = Math.min(1, Math.max(y / (0.6 * away), (2 * OFF_PAD_M - away) / OFF_PAD_M));
  return below.multiplyScalar(1 - share);
}
