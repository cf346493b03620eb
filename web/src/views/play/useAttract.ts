// Demo sessions of bots behind the start button, one after the other.
import { useEffect, useRef, useState } from "react";
import { PlaySession, type SessionOptions } from "../../engine/session";
import type { Moment } from "../../parts/three/scene";
import type { Reader } from "../../parts/three/useMoment";
import { useReducedMotion } from "../../style/theme";
import { Live } from "./live";

const FIRST_SEED = 4;
const REST_S = 2.5; // after an episode, before the next

/** options: without a seed; the same object as long as they are the same. Returns the session's moment, to be drawn. */
export function useAttract<S>(options: SessionOptions, reader: Reader<S>): { session: PlaySession | null; momentNow: () => Moment<S> | null } {
  const still = useReducedMotion();
  const [session, setSession] = useState<PlaySession | null>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    let left = false;
    let made: PlaySession | null = null;
    PlaySession.start({ ...options, human: null, seed: FIRST_SEED + round }).then(
      (ready) => (left ? ready.close() : setSession((made = ready))),
      () => undefined, // the demo is optional
    );
    return () => {
      left = true;
      setTimeout(() => made?.close(), 500);
    };
  }, [options, round]);
  const shown = useRef<{ session: PlaySession; live: Live<S>; before: number } | null>(null);
  const momentNow = () => {
    if (!session) return null;
    const now = performance.now();
    if (shown.current?.session !== session) {
      shown.current?.live.stop();
      shown.current = { session, live: new Live(session, reader), before: now };
    }
    if (!still) session.advance((now - shown.current.before) / 1000);
    shown.current.before = now;
    const moment = shown.current.live.moment();
    if (moment.sinceEnd > REST_S) setRound((old) => old + 1);
    return moment;
  };
  return { session, momentNow };
}
