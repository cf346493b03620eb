// The colours of the arena by day and by dusk. Roles are the page's hues, lit: its tokens are made for text.

import type { Lighting } from "../three/scene";

export type Look = Lighting & {
  grass: string; // ground beyond the fence
  sand: string;
  sandLit: string;
  grid: string;
  chalk: string;
  fence: string;
  fenceRail: string;
  low: string; // a crate that can be jumped on
  tall: string; // one that cannot
  crateLine: string;
  seeker: string;
  hider: string;
};

const DUSK: Look = {
  sky: "#161f26",
  grass: "#26352f",
  sand: "#7d6444",
  sandLit: "#a98a5e",
  grid: "rgb(0 0 0 / 9%)",
  chalk: "#efe6d2",
  fence: "#637884",
  fenceRail: "#9db4bf",
  low: "#c79a5b",
  tall: "#7f939e",
  crateLine: "rgb(30 22 10 / 38%)",
  sun: { colour: "#ffd9a3", strength: 2.7 },
  air: { above: "#a9c6e0", below: "#8a6f4c", strength: 1.9 },
  exposure: 1.05,
  seeker: "#ff6a42",
  hider: "#36b8e0",
};

const DAY: Look = {
  sky: "#e9ede4",
  grass: "#c5d0a8",
  sand: "#d8b987",
  sandLit: "#ead09f",
  grid: "rgb(90 60 20 / 10%)",
  chalk: "#fffaf0",
  fence: "#8fa3a4",
  fenceRail: "#b9c9c8",
  low: "#d9a866",
  tall: "#879aa3",
  crateLine: "rgb(70 45 15 / 38%)",
  sun: { colour: "#fff3dc", strength: 3.0 },
  air: { above: "#dcecff", below: "#b89b6c", strength: 1.5 },
  exposure: 0.95,
  seeker: "#f4562a",
  hider: "#1c9fca",
};

export function lookOf(theme: "dark" | "light"): Look {
  return theme === "dark" ? DUSK : DAY;
}
