// One match after the other: setup, countdown, play, end; and the results.
import { useCallback, useEffect, useRef, useState } from "react";
import { PlaySession, type SessionOptions } from "../../engine/session";

export type Phase = "idle" | "loading" | "countdown" | "playing" | "paused" | "over";
export type Score = { won: number; lost: number };

const COUNTDOWN_S = 3;

export type Match = {
  session: PlaySession | null;
  phase: Phase;
  countdown: number; // seconds left, rounded up
  score: Score;
  error: unknown;
  start: (options: () => Promise<SessionOptions>) => void;
  pause: (paused: boolean) => void;
  forget: () => void; // the score
  advance: (seconds: number) => void; // called once an animation frame
};

/** won: whether the person has. */
export function useMatch(won: (session: PlaySession) => boolean): Match {
  const [session, setSession] = useState<PlaySession | null>(null);
  const [phase, setPhase] = useState<Phase>("idle");
  const [countdown, setCountdown] = useState(0);
  const [score, setScore] = useState<Score>({ won: 0, lost: 0 });
  const [error, setError] = useState<unknown>(null);
  const left = useRef(0);
  const counted = useRef<PlaySession | null>(null);
  const asked = useRef(0); // a setting-up that was overtaken by another is dropped

  const start = useCallback((options: () => Promise<SessionOptions>) => {
    const mine = ++asked.current;
    setPhase("loading");
    setError(null);
    options()
      .then((options) => PlaySession.start(options))
      .then((made) => {
        if (asked.current !== mine) return made.close();
        setSession(made);
        left.current = COUNTDOWN_S;
        setCountdown(COUNTDOWN_S);
        setPhase("countdown");
      })
      .catch((problem: unknown) => {
        if (asked.current !== mine) return;
        setError(problem);
        setPhase("idle");
      });
  }, []);

  useEffect(() => {
    if (!session) return;
    return () => void setTimeout(() => session.close(), 500); // the last picture may still look at it
  }, [session]);

  const advance = useCallback(
    (seconds: number) => {
      if (!session) return;
      if (phase === "countdown") {
        left.current -= Math.min(seconds, 0.25);
        setCountdown(Math.ceil(left.current));
        if (left.current <= 0) setPhase("playing");
      } else if (phase === "playing") {
        try {
          session.advance(seconds);
        } catch (problem) {
          setError(problem);
          setPhase("idle");
          return;
        }
        if (!session.over || counted.current === session) return;
        counted.current = session; // the page may look again before it knows that the match is over
        setPhase("over");
        if (session.humans.length) setScore((old) => (won(session) ? { ...old, won: old.won + 1 } : { ...old, lost: old.lost + 1 }));
      }
    },
    [session, phase, won],
  );

  const pause = useCallback((paused: boolean) => setPhase((old) => (paused && old === "playing" ? "paused" : !paused && old === "paused" ? "playing" : old)), []);
  const forget = useCallback(() => setScore({ won: 0, lost: 0 }), []);
  return { session, phase, countdown, score, error, start, pause, forget, advance };
}
