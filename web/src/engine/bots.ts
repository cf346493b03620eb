// Bots in the page. They are part of the engine, so they act exactly as in Python.
import type { GameSpec } from "./engine";

export type BotChoice = { kind: "bot"; name: string; level?: number };

/** Scripted players who can play a role, each with its levels. */
export function botsFor(spec: GameSpec, role: string): GameSpec["bots"] {
  return spec.bots.filter((bot) => bot.role === role || bot.role === "all");
}

/** The bot that plays a role when nobody chooses one: the game's default, at its top level. */
export function defaultBot(spec: GameSpec, role: string): BotChoice | null {
  const name = spec.default_bots[role];
  return name ? { kind: "bot", name } : null;
}

/** `chase:2`, or `chase` where there is one level only: as the command line writes it. */
export function botName(spec: GameSpec, choice: BotChoice): string {
  const levels = spec.bots.find((bot) => bot.name === choice.name)?.levels ?? 1;
  return levels > 1 ? `${choice.name}:${choice.level ?? levels}` : choice.name;
}
