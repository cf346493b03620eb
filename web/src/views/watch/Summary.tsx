// The window that a replay came from, in its main metrics, each with its trend.
import { getRun, listRatings, newestWindows } from "../../api/analytics";
import { useResource } from "../../api/useResource";
import type { WindowRow } from "../../api/watch";
import { percent, shortNumber, Spark } from "../../parts/chart";
import { ErrorNote, Loading, Note } from "../../parts/ui";
import { SHOWN } from "../../parts/player/shownByGames";
import { plainName } from "../../parts/player/words";
import { hasOpponents } from "../analytics/chartGroups";

const POLL_MS = 20_000;
const MOST_WINDOWS = 400;
/** In the order of interest; a game shows those of them that its windows have. */
const METRICS = ["return_mean", ...SHOWN.flatMap((game) => game.summary), "duration_s_mean", "reward_mean", "episodes_completed"];

const SUMS = new Set(["return_mean", "reward_mean"]); // where there are several roles, each has its own

type Line = { name: string; text: string; values: readonly (number | null)[] };

const BRIEF = 4; // lines

/** brief: the first lines, in words that need no glossary. */
export function Summary({ run, window, brief = false }: { run: string; window: number | null; brief?: boolean }) {
  const windows = useResource(run, (signal) => newestWindows(run, MOST_WINDOWS, signal), { pollMs: POLL_MS });
  const ratings = useResource(run, (signal) => listRatings(run, signal), { pollMs: POLL_MS });
  if (windows.loading) return <Loading what="the window" />;
  if (!windows.data) return <ErrorNote error={windows.error} onRetry={windows.reload} />;
  const rows = windows.data.windows.toReversed() as WindowRow[];
  const at = rows.findIndex((row) => row.window_id === window);
  const row = rows[at];
  if (!row) return <Missing run={run} window={window} oldest={rows[0]?.window_id} />;
  const until = rows.slice(0, at + 1);
  const evaluated = (ratings.data?.ratings ?? []).filter((each) => each.window_id <= row.window_id);
  const lines = [...metricLines(until, row), ...ratingLines(evaluated)].slice(0, brief ? BRIEF : undefined);
  return (
    <>
      <p className="small soft">
        {brief ? (
          <>
            After <span className="numbers">{shortNumber(row.episodes_total)}</span> rounds of training (window <span className="numbers">{row.window_id}</span>)
          </>
        ) : (
          <>
            Window <span className="numbers">{row.window_id}</span>, after <span className="numbers">{shortNumber(row.env_steps_total)}</span> env steps and{" "}
            <span className="numbers">{shortNumber(row.episodes_total)}</span> episodes
          </>
        )}
        {!brief && !row.window_complete && ". Training stopped within this window: its numbers are of the part that was played"}
      </p>
      <dl className="metrics">
        {lines.map((line) => (
          <div key={line.name}>
            <dt>{line.name}</dt>
            <dd>
              <span className="numbers">{line.text}</span>
              <Spark values={line.values} label={`${line.name} over the windows`} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** Why a window has no metrics here. */
function Missing({ run, window, oldest = 0 }: { run: string; window: number | null; oldest?: number }) {
  const about = useResource(run, (signal) => getRun(run, signal), { pollMs: POLL_MS });
  if (window === null) return <Note>This replay belongs to no window.</Note>;
  if (window < oldest) return <Note>Window {window} is too old to be shown here; Analytics has all windows.</Note>;
  if (about.data?.metadata.status === "running") return <Note>Window {window} is still being played; its metrics come when it closes.</Note>;
  return <Note>The run ended within window {window}, before its metrics were written.</Note>;
}

function metricLines(until: readonly WindowRow[], row: WindowRow): Line[] {
  const opponents = hasOpponents(Object.keys(row));
  return METRICS.filter((name) => typeof row[name] === "number" && !(opponents && SUMS.has(name))).map((name) => ({
    name: plainName(name).replace(/ mean$/, ""),
    text: name.endsWith("_rate") ? percent(row[name] as number) : shortNumber(row[name] as number),
    values: until.map((each) => (typeof each[name] === "number" ? (each[name] as number) : null)),
  }));
}

type Rated = { ratings: Readonly<Record<string, number>>; rating_intervals: Readonly<Record<string, readonly [number, number]>> };

function ratingLines(evaluated: readonly Rated[]): Line[] {
  const last = evaluated.at(-1);
  if (!last) return [];
  return Object.entries(last.ratings).map(([role, rating]) => ({
    name: `${role} rating`,
    text: withInterval(rating, last.rating_intervals[role]),
    values: evaluated.map((each) => each.ratings[role] ?? null),
  }));
}

/** 1203 (1120 to 1290): the number with its 95 % interval. */
function withInterval(value: number, interval: readonly [number, number] | undefined): string {
  return interval ? `${value.toFixed(0)} (${interval.map((end) => end.toFixed(0)).join(" to ")})` : value.toFixed(0);
}
