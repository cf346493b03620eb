// Charts of evaluations: of checkpoints on held-out seeds, against fixed opponents.
import type { Evaluation } from "../../api/analytics";
import { formatName, type ChartSpec, type Group } from "./chartGroups";
import { roleColour, SHOWN } from "../../parts/player/shownByGames";
import type { Row } from "./rows";

const SURVIVAL = SHOWN.flatMap((game) => game.survival ?? []);
const EVALUATED = SHOWN.flatMap((game) => game.evaluated ?? []);

/** Evaluations as rows of the same shape as windows. Without env steps one cannot be placed on the axis. */
export function evaluationRows(evaluations: readonly Evaluation[]): Row[] {
  return evaluations.flatMap(({ window_id, env_steps_total, metrics }) =>
    env_steps_total === null ? [] : [{ ...metrics, window_id, env_steps_total, window_complete: true }],
  );
}

export function evaluationGroups(columns: readonly string[]): Group[] {
  const left = new Set(columns.filter((column) => !["window_id", "env_steps_total", "episodes"].includes(column)));
  const groups = [
    { title: "Ratings", note: "Elo scale on which the scripted players are fixed; 1000 is the middle.", charts: ratings(left) },
    { title: "Against scripted players", note: "Share of matches won, by the opponent's level.", charts: against(left) },
    { title: "On held-out seeds", note: "With the 95 % interval of the mean where there is one.", charts: values(left) },
    { title: "Other metrics", note: "Means over the evaluated episodes.", charts: [...left].map(single) },
  ];
  return groups.filter((group) => group.charts.length > 0);
}

function ratings(left: Set<string>): ChartSpec[] {
  const roles = [...left].flatMap((column) => (column.endsWith("_rating") ? [column.slice(0, -"_rating".length)] : []));
  const lines = roles.map((role) => ({ column: `${role}_rating`, name: role, colour: roleColour(role) }));
  for (const { column } of lines) left.delete(column);
  return lines.length ? [{ title: "Rating", unit: "rating (Elo scale)", lines }] : [];
}

/** ROLE_beats_BOT_3 → the role's chart against that bot, line "level 3". */
function against(left: Set<string>): ChartSpec[] {
  const charts = new Map<string, ChartSpec>();
  for (const column of [...left]) {
    const found = /^(\w+?)_beats_(\w+)_(\d+)$/.exec(column);
    if (!found) continue;
    left.delete(column);
    const title = `${formatName(found[1] ?? "")} against ${found[2]}`;
    const chart = charts.get(title) ?? { title, unit: "share of matches won", percent: true, lines: [] };
    chart.lines.push({ column, name: `level ${found[3]}` });
    charts.set(title, chart);
  }
  return [...charts.values()];
}

function values(left: Set<string>): ChartSpec[] {
  if (!left.has("value_low") || !left.has("value_high")) {
    left.delete("value"); // the mean of the ratings, which have their own chart
    return survival(left);
  }
  for (const column of ["value", "value_low", "value_high"]) left.delete(column);
  const value = EVALUATED.find(({ column }) => left.delete(column)); // the same numbers as `value`
  const chart = {
    title: value?.title ?? "Evaluated value",
    unit: value?.unit ?? "mean of what the game is ranked by",
    lines: [
      { column: "value", name: "mean" },
      { column: "value_low", name: "95 % from", colour: "ink-faint" },
      { column: "value_high", name: "to", colour: "ink-faint" },
    ],
  };
  return [chart, ...survival(left)];
}

function survival(left: Set<string>): ChartSpec[] {
  return SURVIVAL.filter(({ column }) => left.delete(column)).map(({ column, title, line }) => ({
    title, unit: "share of episodes", percent: true, lines: [{ column, name: line }],
  }));
}

function single(column: string): ChartSpec {
  const title = formatName(column.replace(/_mean$/, ""));
  return { title, unit: "", percent: column.endsWith("_rate"), lines: [{ column, name: title }] };
}
