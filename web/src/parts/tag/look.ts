// The colours of the court by day and by dusk: those of the film (godot/games/tag/look/), so that both are one game.

import type { Lighting } from "../three/scene";

export type Look = Lighting & {
  grass: string; // the lawn beyond the walls
  floor: string;
  floorDark: string; // every other square
  chalk: string;
  wall: string;
  wallCap: string;
  wallBand: string; // along the floor
  post: string; // at the corners
  low: string; // a box that can be jumped on
  tall: string; // one that cannot
  seeker: string;
  hider: string;
};

const COURT = {
  floor: "#ecd8b0",
  floorDark: "#e0c694",
  chalk: "#fff4de",
  wall: "#a6d9c8",
  wallCap: "#fff6e6",
  wallBand: "#5fb3a3",
  post: "#f2b544",
  low: "#f5b432",
  tall: "#4b5463",
  seeker: "#d92e1a",
  hider: "#1560d2",
};

const DUSK: Look = {
  ...COURT,
  sky: "#1d3b40",
  grass: "#3d7a58",
  sun: { colour: "#ffdfae", strength: 2.1 },
  air: { above: "#b9cdf5", below: "#8a9a6c", strength: 1.7 },
  exposure: 1.05,
};

const DAY: Look = {
  ...COURT,
  sky: "#cfeafd",
  grass: "#6fae6e",
  sun: { colour: "#ffdfae", strength: 2.6 },
  air: { above: "#cfe0ff", below: "#a9b98c", strength: 2.0 },
  exposure: 1.0,
};

export function lookOf(theme: "dark" | "light"): Look {
  return theme === "dark" ? DUSK : DAY;
}
