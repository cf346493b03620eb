// Opens a game, and a new one when asked; the old one is closed.
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { Game, type View } from "./game";
import type { Lesson } from "./lessons";
import { openSession } from "./session";

export type Wish = { seed: bigint; timeMax: number };

export type Opened = { game: Game | null; error: unknown; reopen: () => void };

export function useGame(wish: Wish, firstLesson: () => Lesson): Opened {
  const [state, setState] = useState<{ game: Game | null; error: unknown }>({ game: null, error: undefined });
  const [round, setRound] = useState(0);
  useEffect(() => {
    let left = false;
    openSession(wish.seed, wish.timeMax).then(
      (session) => (left ? session.close() : setState({ game: new Game(session, firstLesson()), error: undefined })),
      (error: unknown) => !left && setState({ game: null, error }),
    );
    return () => {
      left = true;
    };
    // firstLesson is asked once a game; another one is no reason for another game.
  }, [wish.seed, wish.timeMax, round]);
  useEffect(() => () => state.game?.session.close(), [state.game]); // once another one has taken its place
  const reopen = useCallback(() => setRound((old) => old + 1), []);
  return { ...state, reopen };
}

export function useView(game: Game): View {
  return useSyncExternalStore(game.subscribe, game.snapshot);
}
