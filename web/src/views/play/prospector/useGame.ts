// Opens a game, and a new one when asked; the old one is closed.
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { Game, type View } from "./game";
import type { Lesson } from "./lessons";

export type GameOptions = { seed: bigint; timeMax: number };

export type Opened = { game: Game | null; error: unknown; reopen: () => void };

export function useGame(options: GameOptions, firstLesson: () => Lesson): Opened {
  const [state, setState] = useState<{ game: Game | null; error: unknown }>({ game: null, error: undefined });
  const [round, setRound] = useState(0);
  useEffect(() => {
    let left = false;
    Game.open(options.seed, options.timeMax, firstLesson()).then(
      (game) => (left ? game.close() : setState({ game, error: undefined })),
      (error: unknown) => !left && setState({ game: null, error }),
    );
    return () => {
      left = true;
    };
    // firstLesson is asked once a game; another one is no reason for another game.
  }, [options.seed, options.timeMax, round]);
  useEffect(() => () => state.game?.close(), [state.game]); // once another one has taken its place
  const reopen = useCallback(() => setRound((old) => old + 1), []);
  return { ...state, reopen };
}

export function useView(game: Game): View {
  return useSyncExternalStore(game.subscribe, game.snapshot);
}
