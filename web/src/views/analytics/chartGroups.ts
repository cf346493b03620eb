// Which charts a run has: known metrics with titles and units, and every other number of its windows under its own name.
import { one, type Known, type KnownGroup } from "../../parts/player/known";
import { roleColour, SHOWN } from "../../parts/player/shownByGames";

export type Line = { column: string; name: string; colour?: string };
export type ChartSpec = { title: string; unit: string; lines: Line[]; percent?: boolean };
export type Group = { title: string; note: string; charts: ChartSpec[] };

/** What a game says about the numbers of an episode: name → unit and meaning. */
export type Fields = ReadonlyMap<string, { unit: string; text: string }>;

/** By group; each chart is shown where its columns are. */
const KNOWN: readonly KnownGroup[] = [
  {
    title: "Outcome",
    note: "Means over the episodes that ended in a window.",
    charts: [
      { title: "Return", unit: "reward an episode", pilotOnly: true, columns: [["return_mean", "mean"], ["return_median", "median"]] },
      ...SHOWN.flatMap((game) => game.outcome),
      { ...one("reward_mean", "Reward", "reward per env step"), pilotOnly: true },
    ],
  },
  ...SHOWN.flatMap((game) => game.groups),
];

const PILOT_ONLY = KNOWN.flatMap(({ charts }) => charts.filter((chart) => chart.pilotOnly).flatMap((chart) => chart.columns.map(([column]) => column)));

/** What the optimiser logs for each role, as `{role}_{metric}`. */
const LEARNER: Record<string, readonly [title: string, unit: string, percent?: boolean]> = {
  policy_loss: ["Policy loss", "loss"],
  value_loss: ["Value loss", "loss"],
  entropy: ["Entropy", "nats"],
  approx_kl: ["Change of policy", "KL, nats"],
  clip_fraction: ["Clipped", "share of samples", true],
  explained_variance: ["Explained by the critic", "share of variance"],
  grad_norm: ["Gradient norm", "norm before clipping"],
  advantage_mean: ["Advantage, mean", "reward"],
  advantage_std: ["Advantage, spread", "reward"],
  learning_rate: ["Learning rate", "a step"],
  ent_coef: ["Entropy coefficient", "coefficient"],
  updates: ["Optimiser steps", "steps an iteration"],
};

/** Counters of the row itself, not metrics of play. */
const BOOKKEEPING = new Set(
  ["schema_version", "window_id", "env_steps_start", "env_steps_end", "env_steps_in_window", "env_steps_total", "ticks_total"].concat(
    ["episodes_total", "reward_sum", "stage"],
  ),
);

const SPEED: Record<string, readonly [string, string]> = {
  seconds: ["Time for a window", "seconds"],
  ticks_in_window: ["Simulated time", "ticks per window"],
  episodes_completed: ["Episodes ended", "episodes a window"],
  terminated_episodes: ["Ended by the game", "episodes a window"],
  truncated_episodes: ["Ended by the clock", "episodes a window"],
};

/** All charts that `columns` allow, each column in exactly one of them. */
export function groupsOf(columns: readonly string[], fields: Fields = new Map()): Group[] {
  const left = new Set(columns.filter((column) => !BOOKKEEPING.has(column)));
  const opponents = hasOpponents(columns);
  if (opponents) left.delete("invalid_action_rate"); // actions of games with opponents are numbers: none is invalid
  if (opponents) for (const column of PILOT_ONLY) left.delete(column);
  const groups = KNOWN.map(({ title, note, charts }) => ({
    title,
    note,
    charts: charts.filter((chart) => !(opponents && chart.pilotOnly)).flatMap((chart) => taken(chart, left)),
  }));
  groups.push({ title: "Learning", note: "The last update of each window, as the optimiser saw it.", charts: learning(left) });
  groups.push({ title: "Pace", note: "How much was played and how long it took.", charts: paced(left) });
  groups.push({ title: "Everything else", note: "Each number of the windows that has no chart above.", charts: others(left, fields) });
  return groups.filter((group) => group.charts.length > 0);
}

export function hasOpponents(columns: readonly string[]): boolean {
  return columns.some((column) => column.endsWith("_win_rate"));
}

function take(left: Set<string>, column: string): boolean {
  return left.delete(column);
}

function taken({ title, unit, percent, columns }: Known, left: Set<string>): ChartSpec[] {
  const lines = columns.filter(([column]) => take(left, column)).map(([column, name, colour]) => ({ column, name, colour }));
  return lines.length ? [{ title, unit, percent, lines }] : [];
}

function learning(left: Set<string>): ChartSpec[] {
  const roles = [...left].flatMap((column) => (column.endsWith("_policy_loss") ? [column.slice(0, -"_policy_loss".length)] : []));
  return Object.entries(LEARNER).flatMap(([metric, [title, unit, percent]]) => {
    const lines = roles
      .filter((role) => take(left, `${role}_${metric}`))
      .map((role) => ({ column: `${role}_${metric}`, name: role, colour: roleColour(role) }));
    return lines.length ? [{ title, unit, percent, lines }] : [];
  });
}

function paced(left: Set<string>): ChartSpec[] {
  return Object.entries(SPEED).flatMap(([column, [title, unit]]) => (take(left, column) ? [{ title, unit, lines: [{ column, name: title }] }] : []));
}

function others(left: Set<string>, fields: Fields): ChartSpec[] {
  const charts: ChartSpec[] = [];
  for (const column of [...left]) {
    if (!take(left, column)) continue;
    const base = column.replace(/_(mean|median)$/, "");
    const lines = [{ column, name: column.endsWith("_median") ? "median" : base === column ? formatName(base) : "mean" }];
    const median = `${base}_median`;
    if (column === `${base}_mean` && take(left, median)) lines.push({ column: median, name: "median" });
    const percent = column.endsWith("_rate");
    charts.push({ title: formatName(base), unit: fields.get(base)?.unit || (percent ? "share of episodes" : ""), percent, lines });
  }
  return charts;
}

/** net_profit → "Net profit". */
export function formatName(name: string): string {
  const words = name.replaceAll("_", " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The metrics of a run at a glance, the most important first. */
export const HEADLINES: readonly Known[] = [
  ...SHOWN.flatMap((game) => game.headlines),
  { ...one("return_mean", "Return", "reward an episode"), pilotOnly: true },
  { ...one("reward_mean", "Reward", "reward per env step"), pilotOnly: true },
  { ...one("invalid_action_rate", "Invalid actions", "share of env steps", true), pilotOnly: true },
];
