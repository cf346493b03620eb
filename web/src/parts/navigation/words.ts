// A walk in words and numbers, for the panel over the picture and for those who cannot see it.
import type { Reading } from "../three/Hud";
import { distanceOf, Ending, type NavigationState } from "./state";

const GOOD_COMFORT = 0.8; // a mean score under which the wearer would complain
const VISIBLE_VIGNETTE = 0.01; // as the rules count it

/** The panel. `maxCollisions`: how many end the episode. */
export function readings(state: NavigationState, maxCollisions: number): Reading[] {
  const speed = Math.hypot(...state.velocity);
  return [
    { name: "To the goal", value: distanceOf(state).toFixed(1), unit: "m" },
    { name: "Speed", value: speed.toFixed(1), unit: "m/s" },
    { name: "Comfort", value: state.comfort.toFixed(2), share: state.comfort, warn: state.comfort < GOOD_COMFORT },
    { name: "Vignette", value: state.vignette.toFixed(2), warn: state.vignette > VISIBLE_VIGNETTE },
    { name: "Collisions", value: state.collisions.toFixed(0), unit: `of ${maxCollisions.toFixed(0)}`, warn: state.collisions > 0 },
  ];
}

/** How it ended; null while it goes on. `seconds`: since it began. */
export function endingOf(state: NavigationState, seconds: number): { good: boolean; text: string } | null {
  switch (state.ending) {
    case Ending.None:
      return null;
    case Ending.Goal:
      return { good: true, text: `At the goal after ${seconds.toFixed(1)} s, comfort ${state.comfort.toFixed(2)}` };
    case Ending.Fell:
      return { good: false, text: `Fell into a pit, ${distanceOf(state).toFixed(0)} m from the goal` };
    case Ending.Collisions:
      return { good: false, text: "Bumped into walls too often" };
    case Ending.Timeout:
      return { good: false, text: `Out of time, ${distanceOf(state).toFixed(0)} m from the goal` };
  }
}

export function describe(state: NavigationState): string {
  const [x, , z] = state.place;
  return `The walker at ${x.toFixed(1)} east, ${z.toFixed(1)} south, ${distanceOf(state).toFixed(1)} m from the goal, ${state.collisions} collisions`;
}
