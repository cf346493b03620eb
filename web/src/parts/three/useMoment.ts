// The moment of a replay that the playback stands at, between two steps as well.
import { useCallback, useRef } from "react";
import type { Playback } from "../player/playback";
import { setting, type Frame, type Source } from "../player/source";
import type { Moment } from "./scene";

/** How a game's frames become states, and two of them one in between. */
export type Reader<S> = {
  read: (frame: Frame) => S;
  between: (from: S, to: S, share: number, seconds: number) => S;
  pastSteps: number; // that a trail needs
};

/** Made anew only when the position moved. */
export function useMoment<S>(source: Source, playback: Playback, reader: Reader<S>): () => Moment<S> | null {
  const states = useRef(new Map<number, S>());
  const known = useRef<Source | null>(null);
  const last = useRef<{ position: number; moment: Moment<S> } | null>(null);
  const endedAt = useRef<number | null>(null);
  return useCallback(() => {
    if (known.current !== source) {
      known.current = source;
      states.current.clear();
      last.current = null;
    }
    const stateAt = (step: number): S | null => {
      const kept = states.current.get(step);
      if (kept) return kept;
      const frame = source.frameAt(step);
      if (!frame) return null;
      const state = reader.read(frame);
      states.current.set(step, state);
      return state;
    };
    const position = Math.min(playback.position, source.steps);
    const now = performance.now();
    if (position < source.steps) endedAt.current = null;
    else endedAt.current ??= now;
    const sinceEnd = endedAt.current === null ? -1 : (now - endedAt.current) / 1000;
    if (last.current?.position === position) return { ...last.current.moment, sinceEnd };
    const moment = momentAt(position, stateAt, reader, secondsPerStep(source));
    if (moment) last.current = { position, moment };
    return moment && { ...moment, sinceEnd };
  }, [source, playback, reader]);
}

function secondsPerStep(source: Source): number {
  const { spec, facts } = source;
  return setting(spec, facts.config, "ticks_per_step") / (setting(spec, facts.config, "tick_rate") || 60);
}

function momentAt<S>(position: number, stateAt: (step: number) => S | null, reader: Reader<S>, seconds: number): Moment<S> | null {
  const step = Math.floor(position + 1e-9);
  const from = stateAt(step);
  if (!from) return null;
  const share = position - step;
  const to = share > 0 ? stateAt(step + 1) : null;
  const state = to ? reader.between(from, to, share, seconds) : from;
  const past: S[] = [];
  for (let each = Math.max(0, step - reader.pastSteps + 1); each <= step; each++) {
    const before = stateAt(each);
    if (before && before !== state) past.push(before);
  }
  return { state, past, sinceEnd: -1 };
}
