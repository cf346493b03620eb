// A descent in words and numbers, for the panel over the picture and for those who cannot see it.
import type { Reading } from "../three/Hud";
import { Ending, heightAt, tiltOf, wantedFall, type LandingState, type Rules } from "./state";

const SIDEWAYS_M_S = 1; // slower than that over the ground is as good as straight down
const MUCH_TOO_FAST = 1.25; // of the fall that is wanted
const LOW_FUEL = 0.1;

export function metres(value: number): string {
  return Math.abs(value) < 10 ? value.toFixed(1) : value.toFixed(0);
}

/** The panel. `maxTilt`: degrees that a landing may lean. */
export function readings(state: LandingState, rules: Rules, maxTilt: number): Reading[] {
  const [x, y, z] = state.place;
  const [vx, vy, vz] = state.velocity;
  const wanted = wantedFall(state, rules);
  const tilt = tiltOf(state);
  const sideways = Math.hypot(vx, vz);
  return [
    { name: "Altitude", value: metres(y), unit: "m" },
    { name: vy > 0 ? "Climb" : "Fall", value: metres(Math.abs(vy)), unit: "m/s", note: `wanted ${metres(wanted)}`, warn: -vy > wanted * MUCH_TOO_FAST + 1 },
    { name: "Sideways", value: metres(sideways), unit: "m/s", ...(sideways > SIDEWAYS_M_S ? { note: towardPad(state) } : {}) },
    { name: "To the pad", value: metres(Math.hypot(x, z)), unit: "m" },
    { name: "Tilt", value: tilt.toFixed(0), unit: "°", warn: tilt > maxTilt },
    { name: "Fuel", value: (100 * state.fuel).toFixed(0), unit: "%", share: state.fuel, warn: state.fuel < LOW_FUEL },
  ];
}

function towardPad({ place: [x, , z], velocity: [vx, , vz] }: LandingState): string {
  return x * vx + z * vz < 0 ? "to the pad" : "off the pad";
}

/** How it ended; null while it goes on. */
export function endingOf(state: LandingState): { good: boolean; text: string } | null {
  const { place: [x, , z], velocity, padRadius } = state;
  const away = Math.hypot(x, z);
  const where = away <= padRadius ? `${away.toFixed(1)} m from the centre` : `${metres(away)} m from the pad`;
  const speed = `${Math.hypot(...velocity).toFixed(1)} m/s`;
  switch (state.ending) {
    case Ending.None:
      return null;
    case Ending.Soft:
      return { good: away <= padRadius, text: `Soft landing, ${where}` };
    case Ending.Hard:
      return { good: false, text: `Hard landing at ${speed}, ${where}` };
    case Ending.Crash:
      return { good: false, text: `Crash at ${speed}, leaning ${tiltOf(state).toFixed(0)}°` };
    case Ending.OutOfBounds:
      return { good: false, text: "Flew out of bounds" };
    case Ending.Timeout:
      return { good: false, text: "Out of time" };
  }
}

export function describe(state: LandingState): string {
  const [x, y, z] = state.place;
  const above = y - heightAt(state.terrain, x, z);
  const end = endingOf(state);
  return end ? end.text : `The craft ${metres(above)} m above the ground, ${metres(Math.hypot(x, z))} m from the pad, at ${metres(Math.hypot(...state.velocity))} m/s`;
}
