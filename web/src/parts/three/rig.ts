// A camera that follows somebody, a moment late.
import { type PerspectiveCamera, Vector3 } from "three";

const SETTLE_S = 0.4; // how long it takes to catch up
const TARGET_SHARE = 1.5; // what it looks at is caught up with sooner than its place
const LEAP_M = 12; // farther than this it jumps instead of flying: somebody scrubbed
const ARRIVED_M = 0.02;

export class Rig {
  #settled = false;
  readonly #target = new Vector3();

  /** The next place is taken at once. */
  leap(): void {
    this.#settled = false;
  }

  /** Toward a place, looking at a target. Returns whether it is still on its way. */
  glide(camera: PerspectiveCamera, place: Vector3, target: Vector3, seconds: number): boolean {
    const leap = !this.#settled || camera.position.distanceTo(place) > LEAP_M;
    const share = leap ? 1 : 1 - Math.exp(-seconds / SETTLE_S);
    camera.position.lerp(place, share);
    this.#target.lerp(target, leap ? 1 : Math.min(1, share * TARGET_SHARE));
    this.#settled = true;
    camera.up.set(0, 1, 0);
    camera.lookAt(this.#target);
    return camera.position.distanceTo(place) > ARRIVED_M;
  }
}
