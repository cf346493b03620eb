// The commands of buttons, views and keys in one place: an action, a repeat, the next asteroid.
import { useCallback, useMemo } from "react";
import { sentence } from "../../../api/client";
import { actionId } from "../../../parts/prospector/spec";
import { toast } from "../../../parts/ui";
import type { Game } from "./game";
import { walkFrom, type Command } from "./keys";
import type { AutoRun } from "./useAutoRun";

export type Pilot = {
  act: (action: number) => void;
  repeat: () => void;
  select: (slot: number) => void;
  travel: (slot: number) => void;
  command: (command: Command) => void;
};

/** `onEnd`: cashing out is asked for once more. */
export function usePilot(game: Game, run: AutoRun, onEnd: () => void, onHelp: () => void): Pilot {
  const { running, start, stop } = run;
  const act = useCallback(
    (action: number) => {
      stop(); // a manual action ends auto-run
      const ends = action === actionId(game.spec, "CASH_OUT_END_EPISODE");
      if (ends && game.reasonAgainst(action) === null && !game.view.ended) onEnd();
      else game.act(action).catch((error: unknown) => toast(sentence(error)));
    },
    [game, stop, onEnd],
  );
  return useMemo(() => {
    const byName = (name: string) => act(actionId(game.spec, name));
    const repeat = () => game.view.last !== null && act(game.view.last);
    const doing: { [Key in Command["do"]]: (command: Extract<Command, { do: Key }>) => void } = {
      act: ({ action }) => byName(action),
      walk: ({ by }) => walk(game, by, act),
      repeat,
      run: running ? stop : start,
      stop,
      help: onHelp,
    };
    return {
      act,
      repeat,
      select: (slot) => byName(`SELECT_ASTEROID_${slot}`),
      travel: (slot) => byName(`TRAVEL_NEIGHBOR_${slot}`),
      command: (command) => (doing[command.do] as (command: Command) => void)(command),
    };
  }, [game, act, running, start, stop, onHelp]);
}

function walk(game: Game, by: 1 | -1, act: (action: number) => void): void {
  const { belt } = game.view;
  const ids = game.spec.actions.flatMap((action, id) => (action.name.startsWith("SELECT_ASTEROID_") ? [id] : []));
  const slot = walkFrom(belt.selected, by, ids.map((id) => belt.reasons[id] === 0));
  const id = ids[slot ?? 0];
  if (id !== undefined) act(id); // with nothing to select, the rules say why
}
