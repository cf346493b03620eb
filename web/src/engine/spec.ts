// A game's spec in the forms that files and pages need.
import type { Config, GameSpec, KnobSpec } from "../../../engine/wasm/sandlot.mjs";

/** A setting as a person writes it: a choice by its name, a flag as a boolean. */
export type Setting = number | string | boolean;

/** Every setting of a world: a profile's defaults with the given ones laid over them. */
export function completeConfig(spec: GameSpec, config: Config): Record<string, Setting> {
  const { profile } = config;
  const column = typeof profile === "string" ? Math.max(0, spec.profiles.indexOf(profile)) : 0;
  return Object.fromEntries(spec.knobs.map((knob) => [knob.name, settingOf(knob, config[knob.name] ?? knob.defaults[column]!)]));
}

function settingOf(knob: KnobSpec, value: unknown): Setting {
  if (knob.kind === "choice") return typeof value === "number" ? knob.choices[value]! : String(value);
  return knob.kind === "flag" ? Boolean(value) : Number(value);
}

/** Which agents hold this role at the start of an episode. */
export function agentsOf(spec: GameSpec, role: string): number[] {
  return spec.agent_roles.flatMap((each, agent) => (each === role ? [agent] : []));
}

/** Real seconds that one decision lasts, for a game with a tick rate; null for a game of decisions. */
export function secondsPerStep(config: Record<string, Setting>): number | null {
  const rate = config.tick_rate;
  return typeof rate === "number" && rate > 0 ? Number(config.ticks_per_step ?? 1) / rate : null;
}

/** One agent's action in words: the name of a choice, or the named numbers of a continuous one. */
export function actionText(spec: GameSpec, action: ArrayLike<number>): string {
  if (spec.shape.actions) {
    const id = action[0] ?? -1;
    return spec.actions[id]?.name ?? `invalid (${id})`;
  }
  return Array.from(action, (value, i) => `${spec.actions[i]?.name ?? i} ${value.toFixed(2)}`).join(", ");
}
