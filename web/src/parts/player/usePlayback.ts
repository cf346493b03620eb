import { useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import { paceOf } from "./games";
import { Playback } from "./playback";
import type { Frame, Source } from "./source";

/** One clock for the sources on screen: the longest decides how long it runs. */
export function usePlayback(sources: readonly Source[], startTick: number | null): Playback {
  const [first] = sources;
  const before = useRef<Playback | null>(null);
  const playback = useMemo(() => {
    const made = new Playback(first ? paceOf(first.spec, first.facts.config) : { kind: "frames" });
    const old = before.current;
    made.setLength(Math.max(0, ...sources.map((source) => source.steps)));
    if (old?.pace.kind === made.pace.kind) made.change({ speed: old.speed, stride: old.stride, loop: old.loop });
    if (first && startTick !== null) made.seek(first.stepOfTick(startTick));
    else if (first && !matchMedia("(prefers-reduced-motion: reduce)").matches) made.play();
    return made;
    // A second source joins the clock that runs; only another first one starts a new clock.
  }, [first]);
  useEffect(() => {
    before.current = playback;
    playback.setLength(Math.max(0, ...sources.map((source) => source.steps)));
  }, [playback, sources]);
  // A link to a moment of what is open already: another hash, the same source.
  const asked = useRef(startTick);
  useEffect(() => {
    if (first && startTick !== null && startTick !== asked.current) {
      playback.pause();
      playback.seek(first.stepOfTick(startTick));
    }
    asked.current = startTick;
  }, [playback, first, startTick]);
  useAdvance(playback, sources);
  return playback;
}

/** Lets the clock run on animation frames; it waits where a source has no frame yet. */
function useAdvance(playback: Playback, sources: readonly Source[]): void {
  useEffect(() => {
    let before = performance.now();
    let request = 0;
    const tick = (now: number) => {
      const next = Math.min(playback.step + 1, playback.length);
      const waiting = sources.some((source) => !source.frameAt(Math.min(next, source.steps)));
      playback.advance((now - before) / 1000, waiting ? playback.step : undefined);
      before = now;
      request = requestAnimationFrame(tick);
    };
    request = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(request);
  }, [playback, sources]);
}

/** Makes the component look again whenever the playback has something to tell. */
export function usePlaybackState(playback: Playback): void {
  useSyncExternalStore(playback.subscribe, playback.version);
}

/** The frame at the playback's step, or the last one shown while that is still on its way. */
export function useFrame(source: Source, playback: Playback): Frame | null {
  usePlaybackState(playback);
  useArrivals(source);
  const last = useRef<{ source: Source; frame: Frame } | null>(null);
  const frame = source.frameAt(Math.min(playback.step, source.steps));
  if (frame) last.current = { source, frame };
  return last.current?.source === source ? last.current.frame : null;
}

/** Makes the component look again when a source has more, or knows more. */
export function useArrivals(source: Source): void {
  const version = useRef(0);
  const subscribe = useMemo(
    () => (listener: () => void) => {
      const arrived = () => {
        version.current++;
        listener();
      };
      const stop = source.subscribe(arrived);
      arrived(); // nobody was notified of what came between drawing and subscribing
      return stop;
    },
    [source],
  );
  useSyncExternalStore(subscribe, () => version.current);
}
