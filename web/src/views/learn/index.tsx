// Learn: the same start, played before training, in the middle and at the end, on one clock. Drag the slider to see it learn.
import { useEffect, useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import "../../parts/player/player.css";
import "../watch/watch.css";
import "./learn.css";
import { listRuns } from "../../api/analytics";
import { getLearning, learnAddress, listPretrained, shippedFirst, type LearningHistory, type Training } from "../../api/learning";
import { useResource } from "../../api/useResource";
import { openReplayAt } from "../../parts/player/open";
import { usePlayerKeys } from "../../parts/player/keys";
import type { Playback } from "../../parts/player/playback";
import type { Source } from "../../parts/player/source";
import { useOpened, type Opened } from "../../parts/player/useSource";
import { usePlayback, usePlaybackState } from "../../parts/player/usePlayback";
import { capital } from "../../parts/player/words";
import { Button, Details, Empty, ErrorNote, icons, Loading, Panel, Select } from "../../parts/ui";
import { PlayAgainst } from "../home/PlayAgainst";
import { Curve } from "./Curve";
import { Pane } from "./Pane";
import { middleOf } from "./stages";

const POLL_MS = 20_000;

export default function Learn() {
  const [asked] = useSearchParams();
  const run = asked.get("run");
  const game = asked.get("trained");
  if (run) return <Shown training={{ kind: "run", run }} />;
  if (game) return <Shown training={{ kind: "pretrained", game }} />;
  return <Newest />;
}

/** Without an address: the newest run, else what ships with Sandlot. */
function Newest() {
  const runs = useResource("runs", (signal) => listRuns(200, signal));
  const shipped = useResource("pretrained", listPretrained);
  if (runs.loading || shipped.loading) return <Loading what="the newest training" />;
  const run = runs.data?.runs[0];
  if (run) return <Shown training={{ kind: "run", run: run.run_id }} />;
  const game = shippedFirst(shipped.data?.games ?? []);
  if (game) return <Shown training={{ kind: "pretrained", game: game.game }} />;
  return <ErrorNote title="Nothing to watch." error={runs.error ?? shipped.error} onRetry={runs.reload} />;
}

function Shown({ training }: { training: Training }) {
  const key = learnAddress(training);
  const learning = useResource(key, (signal) => getLearning(training, signal), { pollMs: training.kind === "run" ? POLL_MS : undefined });
  const { data } = learning;
  const stages = data?.stages.length ?? 0;
  return (
    <div className="learn">
      <div className="page-head">
        <h1>Watch it learn{data ? `: ${capital(data.game)}` : ""}</h1>
        <p className="learn-claim">The same start, the same clock: only how long they have trained differs.</p>
        <span className="push">
          <Choice training={training} />
        </span>
      </div>
      {!data ? (
        learning.error !== undefined ? <ErrorNote title="This training cannot be shown." error={learning.error} onRetry={learning.reload} /> : <Loading what="the training" />
      ) : stages < 2 ? (
        <Empty
          title={stages ? "Training has just begun" : "There is nothing to compare yet"}
          hint="Two moments of training are needed. Each window adds one once it is evaluated; it appears here by itself. A run trained with --no-evaluate has none."
        >
          <p className="row">
            <Shipped />
          </p>
        </Empty>
      ) : (
        <Stages key={key} history={data} training={training} />
      )}
    </div>
  );
}

/** Another training: a run, or a game whose trained policies ship with Sandlot. */
function Choice({ training }: { training: Training }) {
  const [, setAsked] = useSearchParams();
  const runs = useResource("runs", (signal) => listRuns(200, signal));
  const shipped = useResource("pretrained", listPretrained);
  const options = [
    ...(runs.data?.runs ?? []).map((each) => ({ value: `run ${each.run_id}`, label: `${each.game} · ${each.run_id}`, group: "Trained here" })),
    ...(shipped.data?.games ?? []).map((each) => ({ value: `trained ${each.game}`, label: capital(each.game), group: "Comes with Sandlot" })),
  ];
  const value = training.kind === "run" ? `run ${training.run}` : `trained ${training.game}`;
  if (!options.some((option) => option.value === value)) return null;
  const choose = (next: string) => {
    const [kind = "", name = ""] = next.split(" ");
    setAsked({ [kind]: name });
  };
  return <Select label="Training" hideLabel value={value} options={options} onChange={choose} />;
}

function Shipped() {
  const [, setAsked] = useSearchParams();
  const shipped = useResource("pretrained", listPretrained);
  return (shipped.data?.games ?? []).map(({ game }) => (
    <Button key={game} onClick={() => setAsked({ trained: game })}>
      Watch {capital(game)} learn meanwhile
    </Button>
  ));
}

function Stages({ history, training }: { history: LearningHistory; training: Training }) {
  const { stages, run_id: runId, game } = history;
  const [chosen, setChosen] = useState<number | null>(null);
  const [seed, setSeed] = useState(0);
  const last = stages.length - 1;
  const at = Math.min(chosen ?? middleOf(stages), last);
  const panes = last > 1 ? [0, at, last] : [0, last];
  const first = useStage(history, 0, seed);
  const moved = useStage(history, at, seed);
  const end = useStage(history, last, seed);
  const opened = last > 1 ? [first, moved, end] : [first, end];
  // The end comes first: it decides when the clock begins anew, which dragging must not do.
  const sources = useMemo(() => [end.source, first.source, last > 1 ? moved.source : null].filter((each): each is Source => each !== null), [end.source, first.source, moved.source, last]);
  const playback = usePlayback(sources, null);
  useEffect(() => playback.change({ loop: true }), [playback]);
  usePlayerKeys(playback);
  const seeds = stages[0]?.replays.length ?? 0;
  return (
    <div className="learn-stages">
      <Panel flush>
        <div className={`learn-panes learn-${panes.length}`}>
          {panes.map((place, i) => (
            <Pane key={i} stage={stages[place]!} seed={seed} opened={opened[i]!} playback={playback} moved={panes.length > 2 && i === 1} />
          ))}
        </div>
        <Clock playback={playback} />
      </Panel>
      <div className="learn-drag-panel">
        <Panel>
          <Curve stages={stages} at={at} onAt={setChosen} />
        </Panel>
      </div>
      <div className="row learn-below">
        {seeds > 1 &&
          Array.from({ length: seeds }, (_, i) => (
            <Button key={i} pressed={i === seed} onClick={() => setSeed(i)}>
              Round {i + 1}
            </Button>
          ))}
        <PlayAgainst game={game} />
      </div>
      <Details summary="How this was measured">
        <p className="small soft">
          Nobody picked these rounds: their random seeds were fixed before training began, and every moment of training plays the same ones. The numbers are
          of {stages[last]?.episodes ?? 0} other rounds, never trained on; in brackets the 95 % interval, the range that holds the truth 19 times of 20.
          {training.kind === "pretrained" && " This training comes with Sandlot."}
          {runId && ` Run ${runId}.`}
        </p>
      </Details>
    </div>
  );
}

/** A stage's match on the chosen seed. */
function useStage(history: LearningHistory, place: number, seed: number): Opened {
  const replay = history.stages[place]?.replays[seed];
  return useOpened(replay?.url ?? "", (signal) => openReplayAt(replay?.url ?? "", history.run_id, replay?.replay_id ?? "", signal));
}

function Clock({ playback }: { playback: Playback }) {
  usePlaybackState(playback);
  const step = Math.min(playback.step, playback.length);
  return (
    <div className="learn-clock">
      <Button kind="primary" icon={playback.playing ? icons.pause : icons.play} label={playback.playing ? "Pause (Space)" : "Play (Space)"} onClick={() => playback.toggle()} />
      <input
        type="range"
        min={0}
        max={Math.max(1, playback.length)}
        value={step}
        aria-label="Moment of the round"
        aria-valuetext={`step ${step} of ${playback.length}`}
        onChange={(event) => {
          playback.pause();
          playback.seek(event.target.valueAsNumber);
        }}
      />
    </div>
  );
}
