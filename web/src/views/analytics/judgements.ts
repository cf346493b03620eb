// Charts of judgements: how checkpoints did on held-out seeds, against fixed rivals.
import type { Judgement } from "../../api/analytics";
import { inWords, type Figure, type Group } from "./figures";
import type { Row } from "./rows";

const ROLE_COLOURS = new Set(["seeker", "hider"]);
const colourOf = (role: string) => (ROLE_COLOURS.has(role) ? role : undefined);

/** Judgements as rows of the same shape as windows. Without env steps one cannot be placed on the axis. */
export function judgedRows(judgements: readonly Judgement[]): Row[] {
  return judgements.flatMap(({ window_id, env_steps_total, figures }) =>
    env_steps_total === null ? [] : [{ ...figures, window_id, env_steps_total, window_complete: true }],
  );
}

export function judgedGroups(columns: readonly string[]): Group[] {
  const left = new Set(columns.filter((column) => !["window_id", "env_steps_total", "episodes"].includes(column)));
  const groups = [
    { title: "Ratings", note: "Elo scale on which the scripted players are fixed; 1000 is the middle.", figures: ratings(left) },
    { title: "Against scripted players", note: "Share of matches won, by the rival's level.", figures: against(left) },
    { title: "On held-out seeds", note: "With the 95 % interval of the mean where the judge gives one.", figures: values(left) },
    { title: "Other figures of the judge", note: "Means over the judged episodes.", figures: [...left].map(single) },
  ];
  return groups.filter((group) => group.figures.length > 0);
}

function ratings(left: Set<string>): Figure[] {
  const roles = [...left].flatMap((column) => (column.endsWith("_rating") ? [column.slice(0, -"_rating".length)] : []));
  const lines = roles.map((role) => ({ column: `${role}_rating`, name: role, colour: colourOf(role) }));
  for (const { column } of lines) left.delete(column);
  return lines.length ? [{ title: "Rating", unit: "rating (Elo scale)", lines }] : [];
}

/** seeker_beats_evade_3 → the seeker's chart against evade, line "level 3". */
function against(left: Set<string>): Figure[] {
  const figures = new Map<string, Figure>();
  for (const column of [...left]) {
    const found = /^(\w+?)_beats_(\w+)_(\d+)$/.exec(column);
    if (!found) continue;
    left.delete(column);
    const title = `${inWords(found[1] ?? "")} against ${found[2]}`;
    const figure = figures.get(title) ?? { title, unit: "share of matches won", percent: true, lines: [] };
    figure.lines.push({ column, name: `level ${found[3]}` });
    figures.set(title, figure);
  }
  return [...figures.values()];
}

function values(left: Set<string>): Figure[] {
  if (!left.has("value_low") || !left.has("value_high")) {
    left.delete("value"); // the mean of the ratings, which have their own chart
    return left.has("survival_mean") ? [survival(left)] : [];
  }
  for (const column of ["value", "value_low", "value_high"]) left.delete(column);
  const profit = left.has("net_profit_mean");
  left.delete("net_profit_mean"); // the same numbers as `value`
  const figure = {
    title: profit ? "Profit" : "Return",
    unit: profit ? "credits an episode" : "reward an episode",
    lines: [
      { column: "value", name: "mean" },
      { column: "value_low", name: "95 % from", colour: "ink-faint" },
      { column: "value_high", name: "to", colour: "ink-faint" },
    ],
  };
  return left.has("survival_mean") ? [figure, survival(left)] : [figure];
}

function survival(left: Set<string>): Figure {
  left.delete("survival_mean");
  return { title: "Survival", unit: "share of episodes", percent: true, lines: [{ column: "survival_mean", name: "survived" }] };
}

function single(column: string): Figure {
  const title = inWords(column.replace(/_mean$/, ""));
  return { title, unit: "", percent: column.endsWith("_rate"), lines: [{ column, name: title }] };
}
