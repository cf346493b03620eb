// Value estimates before each decision, as a line under the timeline. The policies that played are fetched
// only when somebody asks: their runtime is by far the largest piece of the site.
import { useEffect, useState } from "react";
import { listPolicies, type PolicyList } from "../../api/analytics";
import { apiUrl, sentence } from "../../api/client";
import type { Estimate } from "../../engine/values";
import { shortNumber } from "../chart";
import { Button } from "../ui";
import { remember, remembered } from "../ui/remember";
import type { Playback } from "./playback";
import type { Source } from "./source";
import { isSecondRole, roleColour } from "./shownByGames";
import { usePlaybackState } from "./usePlayback";

const REMEMBERED = "sandlot.values";
const WIDTH = 1000;
const HEIGHT = 56;

type Line = { name: string; role: string; values: Float32Array; known: number };

export function Values({ source, playback }: { source: Source; playback: Playback }) {
  const [wanted, setWanted] = useState(() => remembered(REMEMBERED) === "on");
  const { lines, note } = useEstimates(source, wanted);
  const toggle = () => {
    remember(REMEMBERED, wanted ? "off" : "on");
    setWanted(!wanted);
  };
  return (
    <div className="values">
      <div className="row">
        <Button pressed={wanted} onClick={toggle} title="What the policies of that window expected from each moment on">
          Value estimate
        </Button>
        {wanted && lines.length > 0 && <Now lines={lines} playback={playback} />}
        {wanted && note && <span className="small faint">{note}</span>}
      </div>
      {wanted && lines.length > 0 && <Curves lines={lines} playback={playback} />}
    </div>
  );
}

function Now({ lines, playback }: { lines: readonly Line[]; playback: Playback }) {
  usePlaybackState(playback);
  return lines.map((line) => (
    <span key={line.name} className="small soft">
      <i className="values-key" style={{ background: colourOf(line) }} /> {line.name}{" "}
      <span className="numbers">{shortNumber(line.values[Math.min(playback.step, line.values.length - 1)] ?? 0)}</span>
    </span>
  ));
}

function Curves({ lines, playback }: { lines: readonly Line[]; playback: Playback }) {
  usePlaybackState(playback);
  const known = lines.flatMap((line) => [...line.values.subarray(0, line.known)]);
  const low = Math.min(0, ...known);
  const span = Math.max(0, ...known) - low || 1;
  const y = (value: number) => HEIGHT - 4 - ((value - low) / span) * (HEIGHT - 8);
  const x = (step: number) => (step / Math.max(1, playback.length)) * WIDTH;
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`What ${lines.map((line) => line.name).join(" and ")} expected over the replay`}>
      <line x1={0} x2={WIDTH} y1={y(0)} y2={y(0)} stroke="var(--line)" vectorEffect="non-scaling-stroke" />
      {lines.map((line) => (
        <polyline
          key={line.name}
          points={points(line, x, y)}
          fill="none"
          stroke={colourOf(line)}
          strokeWidth={1.6}
          strokeDasharray={isSecondRole(line.role) ? "5 3" : undefined}
          vectorEffect="non-scaling-stroke"
        />
      ))}
      <line x1={x(playback.step)} x2={x(playback.step)} y1={0} y2={HEIGHT} stroke="var(--ink-faint)" vectorEffect="non-scaling-stroke" />
    </svg>
  );
}

const MOST_POINTS = 1000; // a line has no more pixels

function points({ values, known }: Line, x: (step: number) => number, y: (value: number) => number): string {
  const every = Math.max(1, Math.ceil(known / MOST_POINTS));
  const drawn: string[] = [];
  for (let step = 0; step < known; step += every) drawn.push(`${x(step).toFixed(1)},${y(values[step] ?? 0).toFixed(1)}`);
  return drawn.join(" ");
}

function colourOf({ role }: Line): string {
  return `var(--${roleColour(role) ?? "accent"})`;
}

/** One line an agent, by the policy of the replay's own window where its checkpoint is kept. */
function useEstimates(source: Source, wanted: boolean): { lines: readonly Line[]; note: string | null } {
  const [state, setState] = useState<{ source: Source | null; lines: readonly Line[]; note: string | null }>({ source: null, lines: [], note: null });
  useEffect(() => {
    if (!wanted) return;
    const stop = new AbortController();
    const tell = (lines: readonly Line[], note: string | null) => !stop.signal.aborted && setState({ source, lines, note });
    tell([], "Fetching the policies that played …");
    estimate(source, stop.signal, tell).catch((problem: unknown) => tell([], sentence(problem)));
    return () => stop.abort();
  }, [source, wanted]);
  return state.source === source ? state : { lines: [], note: null };
}

async function estimate(source: Source, signal: AbortSignal, tell: (lines: readonly Line[], note: string | null) => void): Promise<void> {
  const { runId, windowId, agents } = source.facts;
  if (!runId || windowId === null) return tell([], "This replay is of no run: there is no policy to ask.");
  const [{ loadPolicy }, { estimateValues }, { ReplaySource }, list] = await Promise.all([
    import("../../engine/policy"),
    import("../../engine/values"),
    import("../../engine/replay"),
    listPolicies(runId, signal),
  ]);
  if (!(source instanceof ReplaySource)) return tell([], "Estimates need the replay played in this page, not the server's frames.");
  if (list.policies.length === 0) return tell([], list.reason ?? "The run keeps no checkpoint to ask.");
  const lines = new Map<number, Line>();
  let asked = windowId;
  for (const [agent, role] of agents.entries()) {
    const choice = nearest(list, role, windowId);
    if (!choice) continue;
    asked = choice.window_id;
    const policy = await loadPolicy(apiUrl(choice.url));
    const note = asked === windowId ? null : `by the policy of window ${asked}; that of window ${windowId} was not kept`;
    await estimateValues(source.file, policy, agent, (so: Estimate) => {
      lines.set(agent, { name: role, role, values: so.values, known: so.known });
      tell([...lines.values()], note);
    }, signal);
  }
}

function nearest(list: PolicyList, role: string, windowId: number): PolicyList["policies"][number] | undefined {
  return list.policies.filter((policy) => policy.role === role).toSorted((a, b) => Math.abs(a.window_id - windowId) - Math.abs(b.window_id - windowId))[0];
}
