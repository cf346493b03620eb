// Which picture a game has. A game gets one by having a file src/parts/GAME/ReplayView.tsx whose default export
// takes GameViewProps; every other game is shown as a table of its named values.
import type { ComponentType } from "react";
import { later, type LaterComponent } from "../ui";
import type { Pace, Playback } from "./playback";
import { setting, type Frame, type GameSpec, type Source } from "./source";
import { NamedValues } from "./NamedValues";

export type GameViewProps = {
  source: Source;
  playback: Playback; // `playback.position` for motion between steps; read it in an animation frame
  frame: Frame; // of the step that is shown
  compact: boolean; // one of two, side by side
};

const files = import.meta.glob<{ default: ComponentType<GameViewProps> }>("../*/ReplayView.tsx");
const views = new Map<string, LaterComponent<GameViewProps>>(
  Object.entries(files).map(([path, load]) => [path.split("/")[1] ?? "", later(load, "the picture")]),
);

export function viewOf(game: string): ComponentType<GameViewProps> {
  return views.get(game) ?? NamedValues;
}

/** Begin to load a game's picture before its replay is there. */
export function preloadView(game: string): void {
  views.get(game)?.preload();
}

/** A game with a tick rate runs by the clock; one of decisions is shown frame by frame. */
export function paceOf(spec: GameSpec, config: Readonly<Record<string, unknown>>): Pace {
  const ticksPerSecond = setting(spec, config, "tick_rate");
  if (!ticksPerSecond) return { kind: "frames" };
  return { kind: "clock", stepsPerSecond: ticksPerSecond / (setting(spec, config, "ticks_per_step") || 1) };
}
