// A replay of tag in 3D: smooth between steps, with what each agent sees below.
import { useCallback, useMemo, useRef, useState } from "react";
import { useEventCues } from "../art/useEventCues";
import type { GameViewProps } from "../player/games";
import type { Playback } from "../player/playback";
import { setting, type Source } from "../player/source";
import { Button, icons } from "../ui";
import { CameraPicker } from "./CameraPicker";
import type { CameraMode } from "./cameras";
import { agentNames } from "./names";
import type { Extras, Moment } from "./scene";
import { SightStrip } from "./SightStrip";
import { between, readState, type TagState, type Vector } from "./state";
import { TagCanvas } from "./TagCanvas";
import { TRAIL_STEPS } from "./trail";
import { Won } from "./Won";

export default function ReplayView({ source, playback, frame, compact }: GameViewProps) {
  const [camera, setCamera] = useState<CameraMode>("both");
  const [extras, setExtras] = useState<Extras>({ sight: true, trails: true });
  const names = useMemo(() => agentNames(source.facts.agents), [source]);
  const momentNow = useMoment(source, playback);
  const state = useMemo(() => readState(frame.render), [frame]);
  const degrees = setting(source.spec, source.facts.config, "field_of_view");
  const ended = frame.step >= source.steps;
  useEventCues("tag", frame.step, frame.events, playback.playing);
  return (
    <div className="tag-view">
      <TagCanvas
        momentNow={momentNow}
        names={names}
        camera={camera}
        extras={extras}
        viewSpread={(degrees * Math.PI) / 180}
        description={describe(state, names)}
        foot={compact ? 0.24 : 0.15}
      />
      <div className="tag-clock numbers" role="timer" aria-label="Time left">
        {state.timeLeft.toFixed(1)} s
      </div>
      <div className="tag-tools">
        <CameraPicker names={names} camera={camera} onChange={setCamera} />
        {!compact && (
          <>
            <Button icon={icons.eye} label="Show what they see" pressed={extras.sight} onClick={() => setExtras({ ...extras, sight: !extras.sight })} />
            <Button icon={icons.more} label="Show trails" pressed={extras.trails} onClick={() => setExtras({ ...extras, trails: !extras.trails })} />
          </>
        )}
      </div>
      {ended && state.winner > 0 && <Won winner={state.winner} seconds={state.tick / (setting(source.spec, source.facts.config, "tick_rate") || 60)} />}
      <div className={`sights${compact ? " sights-compact" : ""}`}>
        {state.agents.map((agent, i) => (
          <SightStrip key={i} agent={agent} name={names[i] ?? ""} range={setting(source.spec, source.facts.config, "vision_range")} />
        ))}
      </div>
    </div>
  );
}

function describe(state: TagState, names: readonly string[]): string {
  const places = state.agents.map((agent, i) => `${names[i]} at ${agent.place[0].toFixed(1)} east, ${agent.place[2].toFixed(1)} south`);
  return `The arena, ${state.timeLeft.toFixed(1)} seconds left: ${places.join("; ")}`;
}

/** The moment at the playback's position, made anew only when it moved. */
function useMoment(source: Source, playback: Playback): () => Moment | null {
  const states = useRef(new Map<number, TagState>());
  const known = useRef<Source | null>(null);
  const last = useRef<{ position: number; moment: Moment } | null>(null);
  const wonAt = useRef<number | null>(null);
  return useCallback(() => {
    if (known.current !== source) {
      known.current = source;
      states.current.clear();
      last.current = null;
    }
    const stateAt = (step: number): TagState | null => {
      const kept = states.current.get(step);
      if (kept) return kept;
      const made = source.frameAt(step);
      if (!made) return null;
      const state = readState(made.render);
      states.current.set(step, state);
      return state;
    };
    const position = Math.min(playback.position, source.steps);
    const now = performance.now();
    if (position < source.steps) wonAt.current = null;
    else wonAt.current ??= now;
    const sinceWin = wonAt.current === null ? -1 : (now - wonAt.current) / 1000;
    if (last.current?.position === position) return { ...last.current.moment, sinceWin };
    const moment = momentAt(position, stateAt, secondsAStep(source));
    if (moment) last.current = { position, moment };
    return moment && { ...moment, sinceWin };
  }, [source, playback]);
}

function secondsAStep(source: Source): number {
  const { spec, facts } = source;
  return setting(spec, facts.config, "ticks_per_step") / (setting(spec, facts.config, "tick_rate") || 60);
}

function momentAt(position: number, stateAt: (step: number) => TagState | null, seconds: number): Moment | null {
  const step = Math.floor(position + 1e-9);
  const from = stateAt(step);
  if (!from) return null;
  const share = position - step;
  const to = share > 0 ? stateAt(step + 1) : null;
  const state = to ? between(from, to, share, seconds) : from;
  const past: TagState[] = [];
  for (let each = Math.max(0, step - TRAIL_STEPS + 1); each < step; each++) {
    const before = stateAt(each);
    if (before) past.push(before);
  }
  const trails = state.agents.map((agent, i): Vector[] => [...past.flatMap((each) => (each.agents[i] ? [each.agents[i].place] : [])), agent.place]);
  return { state, trails, sinceWin: -1 };
}
