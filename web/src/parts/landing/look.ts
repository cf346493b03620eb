// The colours of a descent by day and by night.
import type { Lighting } from "../three/scene";

export type Look = Lighting & {
  haze: string; // what the far ground fades into
  valley: string;
  hill: string;
  grid: string;
  ring: string; // distances round the pad
  apron: string;
  mark: string; // what is painted on the pad
  guide: string; // altitude line, trail
  hull: string;
  foil: string;
  metal: string;
  glass: string;
};

const NIGHT: Look = {
  sky: "#0c1119",
  haze: "#222c38",
  valley: "#48464a",
  hill: "#746f6a",
  grid: "rgb(255 255 255 / 9%)",
  ring: "#d9b66a",
  apron: "#5b6168",
  mark: "#ffd34d",
  guide: "#8fd0ea",
  hull: "#e8e6df",
  foil: "#d9a13f",
  metal: "#5d666e",
  glass: "#1c3a4d",
  sun: { colour: "#fff1d8", strength: 2.9 },
  air: { above: "#8ea6c8", below: "#5a5148", strength: 1.25 },
  exposure: 1.05,
};

const DAY: Look = {
  sky: "#dfe4e2",
  haze: "#dfe4e2",
  valley: "#b39d7e",
  hill: "#d6c19c",
  grid: "rgb(70 45 15 / 14%)",
  ring: "#8a5a00",
  apron: "#8d9296",
  mark: "#ffcf33",
  guide: "#0a6c8c",
  hull: "#f6f4ee",
  foil: "#d79a34",
  metal: "#59626a",
  glass: "#234a60",
  sun: { colour: "#fff3dc", strength: 3.0 },
  air: { above: "#dcecff", below: "#b89b6c", strength: 1.4 },
  exposure: 0.95,
};

export function lookOf(theme: "dark" | "light"): Look {
  return theme === "dark" ? NIGHT : DAY;
}
