// Watch: plays the newest replay of the newest run; other replays can be chosen.
import { useCallback, useEffect, useMemo, useState } from "react";
import { Link } from "react-router";
import "../../parts/player/player.css";
import "./watch.css";
import { learnAddress } from "../../api/learning";
import { useResource } from "../../api/useResource";
import { findReplays } from "../../api/watch";
import { loadEngine } from "../../engine/engine";
import { Events } from "../../parts/player/Events";
import { preloadView } from "../../parts/player/games";
import { usePlayerKeys } from "../../parts/player/keys";
import type { Source } from "../../parts/player/source";
import { Timeline } from "../../parts/player/Timeline";
import { Transport } from "../../parts/player/Transport";
import { Values } from "../../parts/player/Values";
import { usePlayback } from "../../parts/player/usePlayback";
import { useSource } from "../../parts/player/useSource";
import { capital } from "../../parts/player/words";
import { Button, Empty, ErrorNote, Loading, Note, Panel, Tabs } from "../../parts/ui";
import { remember, remembered } from "../../parts/ui/remember";
import { Advanced } from "./Advanced";
import { ComparePicker } from "./Compare";
import { Aside } from "../home/Aside";
import { EmptyHome } from "../home/EmptyHome";
import { Welcome } from "../home/Welcome";
import { LocalFile, OpenFile } from "./LocalFile";
import { Picker } from "./Picker";
import { PlayLink } from "./PlayLinks";
import { Readout } from "./Readout";
import { useSelection, write, type Selection } from "./selection";
import { Stage } from "./Stage";
import { Summary } from "./Summary";
import { useNewest } from "./useNewest";

// While the newest replay is requested, the engine and the view of the last watched game are already fetched.
void loadEngine().catch(() => undefined);
preloadView(remembered("sandlot.game") ?? "");

const NEWEST: Partial<Selection> = { run: null, replay: null, other: null };

export default function Watch() {
  const [selection, choose] = useSelection();
  const newest = useNewest(useCallback((run: string, replay: string) => choose({ run, replay, other: null }), [choose]));
  // The first newest replay stays on screen: a newer one is only announced.
  const [first, setFirst] = useState<{ run: string; replay: string | null } | null>(null);
  const newestReplay = newest.data?.replay;
  const run = newest.data?.run;
  const expected = selection.run ? "" : (run?.game ?? "");
  useEffect(() => preloadView(expected), [expected]);
  if (!first && run) setFirst({ run: newestReplay?.run_id ?? run.run_id, replay: newestReplay?.replay_id ?? null });
  else if (first && !first.replay && newestReplay) setFirst({ run: newestReplay.run_id, replay: newestReplay.replay_id });
  const shownRun = selection.run ?? first?.run ?? null;
  const shownReplay = selection.replay ?? (selection.run && selection.run !== first?.run ? null : (first?.replay ?? null));
  const home = !selection.run;
  if (selection.file) return <LocalFile name={selection.file} tick={selection.tick} onClose={() => choose(NEWEST)} />;
  if (!shownRun) {
    if (newest.error !== undefined) return <ErrorNote title="Nothing to watch." error={newest.error} onRetry={newest.reload} />;
    if (!newest.data) return <Loading what="the newest replay" />;
    return <EmptyHome />;
  }
  return (
    <>
      <h1 className="unseen">Watch</h1>
      {home && run && <Welcome game={run.game} training={{ kind: "run", run: run.run_id }} />}
      {newest.error !== undefined && newest.data && <Note tone="warn">The server does not answer at the moment; what is shown may be old. It is asked again every 20 s.</Note>}
      <Watching home={home} selection={selection} run={shownRun} replay={shownReplay} choose={choose} />
    </>
  );
}

/** home: nothing was chosen; the newest match stands for the whole site. */
type Watched = { home: boolean; selection: Selection; run: string; replay: string | null; choose: (change: Partial<Selection>) => void };

function Watching({ home, selection, run, replay, choose }: Watched) {
  const [tag, setTag] = useState("");
  const [window, setWindow] = useState("");
  const [tab, setTab] = useState<"replays" | "window" | "events">("replays");
  const opened = useSource(run, replay, selection.way);
  const other = useSource(run, selection.other, selection.way);
  const source = opened.error ? null : opened.source;
  const sources = useMemo(() => [source, selection.other ? other.source : null].filter((each): each is Source => each !== null), [source, other.source, selection.other]);
  const playback = usePlayback(sources, selection.tick);
  usePlayerKeys(playback);
  useEffect(() => {
    if (source) remember("sandlot.game", source.facts.game);
  }, [source]);
  const linkTo = (tick: number) => write({ ...selection, run, replay, tick });
  const picker = (
    <Picker
      run={run}
      replay={replay}
      tag={tag}
      window={window}
      onRun={(next) => {
        setWindow("");
        choose({ run: next, replay: null, other: null });
      }}
      onTag={setTag}
      onWindow={setWindow}
      onReplay={(next) => choose({ run, replay: next })}
    />
  );
  return (
    <div className="watch">
      <div className="watch-main">
        {source ? (
          <Panel flush>
            <div className={selection.other ? "watch-pair" : ""}>
              {selection.other && (other.source ? <Stage source={other.source} playback={playback} compact title="Another match" /> : other.error ? <ErrorNote error={other.error} onRetry={other.retry} /> : <Loading what="the other replay" />)}
              <Stage source={source} playback={playback} compact={Boolean(selection.other)} title={selection.other ? "This match" : home ? `The newest round: ${capital(source.facts.game)}` : undefined} />
            </div>
            <Timeline playback={playback} source={source} />
            <Values playback={playback} source={source} />
            <Transport playback={playback} source={source} linkTo={linkTo} />
            <Readout source={source} playback={playback} />
          </Panel>
        ) : opened.error ? (
          <ErrorNote title="This replay cannot be shown." error={opened.error} onRetry={opened.retry}>
            <Button onClick={() => choose(NEWEST)}>Watch the newest</Button>
          </ErrorNote>
        ) : replay ? (
          <Loading what="the replay" />
        ) : (
          <NewestOf run={run} choose={choose} />
        )}
        <div className="row watch-below">
          {replay && source && <ComparePicker run={run} replay={replay} other={selection.other} onOther={(next) => choose({ run, replay, other: next })} />}
          <Link to={learnAddress({ kind: "run", run })}>Watch it learn</Link>
          {source && <PlayLink game={source.facts.game} />}
          <p className="small faint push">
            <kbd>Space</kbd> play · <kbd>←</kbd> <kbd>→</kbd> step · <kbd>Home</kbd> <kbd>End</kbd> · <kbd>[</kbd> <kbd>]</kbd> speed · <kbd>L</kbd> loop
          </p>
        </div>
        {source && <Advanced source={source} playback={playback} way={selection.way} tag={tag} onWay={(way) => choose({ run, replay, way })} onTag={setTag} />}
      </div>
      <aside className="watch-side" aria-label="What to watch">
        {home && <Aside run={run} source={source} onWatch={(next) => choose({ run, replay: next })} />}
        <Panel>
          <Tabs
            label="About what is watched"
            chosen={tab}
            onChoose={setTab}
            tabs={[
              { key: "replays", label: "Replays" },
              { key: "window", label: "Window" },
              { key: "events", label: "Events" },
            ]}
          >
            {tab === "replays" && (
              <>
                {picker}
                <OpenFile />
              </>
            )}
            {tab === "window" && <Summary run={run} window={source?.facts.windowId ?? null} />}
            {tab === "events" && (source ? <Events playback={playback} source={source} /> : <Empty title="No replay is open" />)}
          </Tabs>
        </Panel>
      </aside>
    </div>
  );
}

/** A run was chosen without a replay: its newest one, once it is known. */
function NewestOf({ run, choose }: { run: string; choose: Watched["choose"] }) {
  const found = useResource(run, (signal) => findReplays(run, { limit: 1 }, signal), { pollMs: 20_000 });
  const entry = found.data?.replays[0];
  useEffect(() => {
    if (entry) choose({ run, replay: entry.replay_id });
  }, [entry, run, choose]);
  if (found.error !== undefined && !found.data)
    return (
      <ErrorNote title="This run cannot be shown." error={found.error} onRetry={found.reload}>
        <Button onClick={() => choose(NEWEST)}>Watch the newest run</Button>
      </ErrorNote>
    );
  if (!found.data || entry) return <Loading what="the run's newest replay" />;
  return <Empty title="This run has no replay yet" hint="The evaluator records one as windows close; it appears here by itself." />;
}
