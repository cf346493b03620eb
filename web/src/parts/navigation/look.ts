// The colours of a walk by day and by night.
import type { Lighting } from "../three/scene";

export type Look = Lighting & {
  floor: string;
  floorLit: string;
  grid: string;
  wall: string;
  wallTop: string;
  pit: string;
  goal: string;
  body: string;
  skin: string;
  headset: string;
  trail: string;
  ray: string;
};

const NIGHT: Look = {
  sky: "#121a20",
  floor: "#6d7680",
  floorLit: "#87909a",
  grid: "rgb(0 0 0 / 22%)",
  wall: "#b8945e",
  wallTop: "#e0bd85",
  pit: "#1a0f14",
  goal: "#7ff0a0",
  body: "#3fa7d0",
  skin: "#e8c9a6",
  headset: "#20262b",
  trail: "#46bfe0",
  ray: "#ffd98a",
  sun: { colour: "#ffe9c9", strength: 2.5 },
  air: { above: "#a9c6e0", below: "#6d6252", strength: 1.7 },
  exposure: 1.0,
};

const DAY: Look = {
  sky: "#e9ede4",
  floor: "#c3c7c6",
  floorLit: "#d9dcda",
  grid: "rgb(40 50 60 / 18%)",
  wall: "#c79a5b",
  wallTop: "#e6c48d",
  pit: "#3a2228",
  goal: "#1f9a4a",
  body: "#1c86b4",
  skin: "#e5c19a",
  headset: "#2a3036",
  trail: "#0a6c8c",
  ray: "#a86a00",
  sun: { colour: "#fff3dc", strength: 2.7 },
  air: { above: "#dcecff", below: "#b8a98c", strength: 1.5 },
  exposure: 0.95,
};

export function lookOf(theme: "dark" | "light"): Look {
  return theme === "dark" ? NIGHT : DAY;
}
