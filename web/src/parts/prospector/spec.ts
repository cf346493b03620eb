// What the prospector's page reads of the game's own description. Names, sizes, limits and prices come from here;
// nothing about the engine's memory is written down in the site.

import type { FieldSpec, GameSpec } from "../player/source";

export type CostRow = { ticks: number; fuel: number; heat: number; alert: number; credits: number };
export type NamedText = { name: string; text: string };

/** The game's description, with what only the prospector tells: costs by action, and reasons against an action. */
export type ProspectorSpec = GameSpec & {
  costs: readonly CostRow[];
  reasons: readonly NamedText[];
  reward_terms: readonly NamedText[];
  episode: readonly FieldSpec[];
};

/** The description as this page needs it, or a sentence about why it is not. */
export function asProspector(spec: GameSpec): ProspectorSpec {
  if (!("costs" in spec) || !("reasons" in spec))
    throw new Error("This engine's prospector tells no costs and reasons; the site needs them. Build site and engine from one release.");
  return spec as ProspectorSpec;
}

export function fieldOf(spec: ProspectorSpec, name: string): FieldSpec {
  const field = spec.render.find((each) => each.name === name);
  if (!field)
    throw new Error(`This engine's prospector shows no ${name}; the site needs it. Build site and engine from one release.`);
  return field;
}

export function actionId(spec: ProspectorSpec, name: string): number {
  const id = spec.actions.findIndex((action) => action.name === name);
  if (id < 0) throw new Error(`The prospector has no action ${name}; build site and engine from one release.`);
  return id;
}

export function knobDefault(spec: ProspectorSpec, name: string): number {
  return spec.knobs.find((knob) => knob.name === name)?.defaults[0] ?? 0;
}
