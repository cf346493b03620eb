// Beside the newest round: what is training, how well its window played, and the round that tells most.
import { useMemo } from "react";
import { useResource } from "../../api/useResource";
import { findReplays } from "../../api/watch";
import type { Source } from "../../parts/player/source";
import { Button, icons, Panel } from "../../parts/ui";
import { Summary } from "../watch/Summary";
import { mostTelling } from "./telling";
import { TrainingNow } from "./TrainingNow";

type Props = { run: string; source: Source | null; onWatch: (replay: string) => void };

export function Aside({ run, source, onWatch }: Props) {
  const found = useResource(run, (signal) => findReplays(run, {}, signal), { pollMs: 20_000 });
  const competes = new Set(source?.facts.agents ?? []).size > 1;
  const telling = useMemo(() => mostTelling(found.data?.replays ?? [], competes, source?.facts.replayId ?? null), [found.data, competes, source]);
  return (
    <Panel>
      <div className="stack">
        <TrainingNow />
        <section aria-label="How they play now">
          <h2>How they play now</h2>
          <Summary run={run} window={source?.facts.windowId ?? null} brief />
        </section>
        {telling && (
          <section aria-label="The most telling round">
            <h2>The most telling round</h2>
            <p className="small soft">
              Window {telling.entry.window_id}: {telling.why}.
            </p>
            <Button icon={icons.play} onClick={() => onWatch(telling.entry.replay_id)}>
              Watch it
            </Button>
          </section>
        )}
      </div>
    </Panel>
  );
}
