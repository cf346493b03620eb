// Before anything was trained here: a match of the trained players that come with Sandlot, and both things to do.
import { useMemo } from "react";
import { getLearning, listPretrained, shippedFirst, type PretrainedGame } from "../../api/learning";
import { useResource } from "../../api/useResource";
import { openReplayAt } from "../../parts/player/open";
import { usePlayerKeys } from "../../parts/player/keys";
import { Timeline } from "../../parts/player/Timeline";
import type { Source } from "../../parts/player/source";
import { useOpened } from "../../parts/player/useSource";
import { usePlayback, usePlaybackState } from "../../parts/player/usePlayback";
import type { Playback } from "../../parts/player/playback";
import { capital } from "../../parts/player/words";
import { Button, Empty, ErrorNote, icons, Loading, Panel } from "../../parts/ui";
import { stageName } from "../learn/stages";
import { OpenFile } from "../watch/LocalFile";
import { PlayLinks } from "../watch/PlayLinks";
import { Stage } from "../watch/Stage";
import { LearnLinks } from "./LearnLinks";
import { Welcome } from "./Welcome";

export function EmptyHome() {
  const shipped = useResource("pretrained", listPretrained);
  if (shipped.loading) return <Loading what="the trained players" />;
  const games = shipped.data?.games ?? [];
  const first = shippedFirst(games);
  return (
    <>
      {first && <Welcome game={first.game} training={{ kind: "pretrained", game: first.game }} />}
      <div className="watch">
        <div className="watch-main">{first ? <Match game={first} /> : <Empty title="No trained players are installed" />}</div>
        <aside className="watch-side" aria-label="What to do">
          <Panel>
            <div className="stack">
              <section>
                <h2>There is no run yet</h2>
                <p className="small soft">
                  What plays here comes with Sandlot. Train players of your own in a terminal: <code>sandlot train tag --minutes 5</code>. Their matches appear
                  here by themselves.
                </p>
              </section>
              <LearnLinks games={games} />
              <PlayLinks />
              <OpenFile />
            </div>
          </Panel>
        </aside>
      </div>
    </>
  );
}

/** The last moment of its training, on the first of the fixed seeds. */
function Match({ game }: { game: PretrainedGame }) {
  const learning = useResource(game.learning_url, (signal) => getLearning({ kind: "pretrained", game: game.game }, signal));
  const stage = learning.data?.stages.at(-1);
  const replay = stage?.replays[0];
  const opened = useOpened(replay?.url ?? "", (signal) => openReplayAt(replay?.url ?? "", null, replay?.replay_id ?? "", signal));
  const sources = useMemo(() => (opened.source ? [opened.source] : []), [opened.source]);
  const playback = usePlayback(sources, null);
  usePlayerKeys(playback);
  const problem = learning.error ?? opened.error;
  if (problem) return <ErrorNote error={problem} onRetry={learning.reload} />;
  if (!opened.source || !stage) return <Loading what="a match" />;
  return (
    <Panel flush>
      <Stage source={opened.source} playback={playback} title={`${capital(game.game)}, ${stageName(stage)}`} plain />
      <Timeline playback={playback} source={opened.source} />
      <PlayRow playback={playback} source={opened.source} />
    </Panel>
  );
}

function PlayRow({ playback, source }: { playback: Playback; source: Source }) {
  usePlaybackState(playback);
  return (
    <div className="transport">
      <Button kind="primary" icon={playback.playing ? icons.pause : icons.play} label={playback.playing ? "Pause (Space)" : "Play (Space)"} onClick={() => playback.toggle()} />
      <span className="small soft numbers">
        {Math.min(playback.step, source.steps)} of {source.steps}
      </span>
    </div>
  );
}
