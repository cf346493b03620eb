// Scripted players in the page. They are part of the engine, so they do here what they do everywhere, action by action.
import type { GameSpec } from "./engine";

export type BotChoice = { kind: "bot"; name: string; level?: number };

/** Scripted players who can play a role, each with its levels. */
export function botsFor(spec: GameSpec, role: string): GameSpec["bots"] {
  return spec.bots.filter((bot) => bot.role === role || bot.role === "all");
}

/** Whom one meets when nobody says otherwise: the first made for the role, at its top level. */
export function usualBot(spec: GameSpec, role: string): BotChoice | null {
  const [first] = [...spec.bots.filter((bot) => bot.role === role), ...botsFor(spec, role)];
  return first ? { kind: "bot", name: first.name } : null;
}

/** `chase:2`, or `chase` where there is one level only: as the command line writes it. */
export function botName(spec: GameSpec, choice: BotChoice): string {
  const levels = spec.bots.find((bot) => bot.name === choice.name)?.levels ?? 1;
  return levels > 1 ? `${choice.name}:${choice.level ?? levels}` : choice.name;
}
