// Repeats the last action a few times a second, until something happens that a pilot should see.
import { useCallback, useEffect, useState } from "react";
import { happensToPilot } from "../../../parts/prospector/events";
import type { Game, Outcome, View } from "./game";

export const RATES = { low: 1, high: 10, start: 5 } as const; // steps a second

/** Whether auto-run ends after this step, and why; null: it goes on. */
export function whyStop(outcome: Outcome, view: View, stopOnEvent: boolean): string | null {
  if (outcome === "over" || view.ended) return "the game is over";
  if (outcome === "refused") return "the action is not possible any more";
  if (stopOnEvent && view.events.some((event) => happensToPilot(event.name))) return "something happened";
  return null;
}

export type AutoRun = {
  running: boolean;
  rate: number;
  stopOnEvent: boolean;
  stoppedBecause: string | null;
  start: () => void;
  stop: () => void;
  setRate: (rate: number) => void;
  setStopOnEvent: (stop: boolean) => void;
};

export function useAutoRun(game: Game | null): AutoRun {
  const [running, setRunning] = useState(false);
  const [rate, setRate] = useState<number>(RATES.start);
  const [stopOnEvent, setStopOnEvent] = useState(true);
  const [stoppedBecause, setStoppedBecause] = useState<string | null>(null);

  useEffect(() => {
    if (!running || !game) return;
    let left = false;
    const timer = setInterval(async () => {
      const { last } = game.view;
      const why = last === null ? "there is nothing to repeat" : whyStop(await game.act(last), game.view, stopOnEvent);
      if (why === null || left) return;
      setRunning(false);
      setStoppedBecause(why);
    }, 1000 / rate);
    return () => {
      left = true;
      clearInterval(timer);
    };
  }, [running, game, rate, stopOnEvent]);

  useEffect(() => {
    setRunning(false);
    setStoppedBecause(null);
  }, [game]);

  const start = useCallback(() => {
    setStoppedBecause(null);
    setRunning(true);
  }, []);
  const stop = useCallback(() => setRunning(false), []);
  return { running, rate, stopOnEvent, stoppedBecause, start, stop, setRate, setStopOnEvent };
}
