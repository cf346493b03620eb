// Play the prospector by hand, in this page: the window into the belt, the instruments, and all 69 actions.
import { useCallback, useEffect, useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import { playCue, SoundSwitch } from "../../../parts/art";
import { BeltMap } from "../../../parts/prospector/BeltMap";
import { cuesOf } from "../../../parts/prospector/effects";
import { Metrics } from "../../../parts/prospector/Metrics";
import { Gauges } from "../../../parts/prospector/Gauges";
import { SectorView } from "../../../parts/prospector/SectorView";
import { Button, ErrorNote, Loading, Note } from "../../../parts/ui";
import "../../../parts/prospector/prospector.css";
import "./play.css";
import { AskToEnd } from "./AskToEnd";
import { Controls } from "./Controls";
import { Deck } from "./Deck";
import { EndScreen } from "./EndScreen";
import { Feedback } from "./Feedback";
import type { Game } from "./game";
import { Guide } from "./Guide";
import { Help } from "./Help";
import { hintsOf } from "./lessons";
import { Panels } from "./Panels";
import { useSaving } from "../useSaving";
import { useAutoRun } from "./useAutoRun";
import { useGame, useView } from "./useGame";
import { useGuide, type Guiding } from "./useGuide";
import { useKeys } from "./useKeys";
import { useNarrow } from "./useNarrow";
import { useOthers } from "./useOthers";
import { usePilot } from "./usePilot";
import { DEFAULT_TIME, randomSeed, readSeed, readTime } from "./gameOptions";

export default function PlayProspector() {
  const [parameters, setParameters] = useSearchParams();
  const [chance, setChance] = useState(randomSeed);
  const seed = readSeed(parameters.get("seed") ?? String(chance));
  const time = readTime(parameters.get("time") ?? String(DEFAULT_TIME));
  const guide = useGuide();
  const { game, error, reopen } = useGame({ seed: seed.value ?? chance, timeMax: time.value ?? DEFAULT_TIME }, guide.first);

  /** Options become the address, so that it can be shared and survives a reload. */
  const open = (next: { seed?: bigint; timeMax?: number }) => {
    const parameters = new URLSearchParams({ game: "prospector" });
    if (next.seed !== undefined) parameters.set("seed", String(next.seed));
    if (next.timeMax !== undefined && next.timeMax !== DEFAULT_TIME) parameters.set("time", String(next.timeMax));
    if (next.seed === undefined) setChance(randomSeed());
    setParameters(parameters, { replace: true });
  };
  const problem = seed.problem ?? time.problem;
  return (
    <div className="play">
      {problem && <Note tone="warn">{problem} This is another belt.</Note>}
      {error !== undefined && <ErrorNote title="The game could not start." error={error} onRetry={reopen} />}
      {!game && error === undefined && <Loading what="the engine" />}
      {game && (
        <Board key={`${game.seed}-${game.timeMax}`} game={game} guide={guide} onOpen={open} onReset={reopen} timeMax={time.value ?? DEFAULT_TIME} />
      )}
    </div>
  );
}

type BoardProps = {
  game: Game;
  guide: Guiding;
  timeMax: number;
  onOpen: (options: { seed?: bigint; timeMax?: number }) => void;
  onReset: () => void;
};

function Board({ game, guide, timeMax, onOpen, onReset }: BoardProps) {
  const view = useView(game);
  const { spec } = game;
  const { belt } = view;
  const run = useAutoRun(game);
  const narrow = useNarrow();
  const [dialog, setDialog] = useState<"help" | "end" | null>(null);
  const [resultSeen, setResultSeen] = useState(false);
  const others = useOthers(game, view.ended);
  const ask = useCallback(() => setDialog("end"), []);
  const help = useCallback(() => setDialog("help"), []);
  const pilot = usePilot(game, run, ask, help);
  const { waiting } = useKeys(spec, pilot.command);
  const hints = useMemo(() => (guide.shown ? hintsOf(view.lesson, belt, spec) : []), [guide.shown, view.lesson, belt, spec]);

  useEffect(() => setResultSeen(false), [game]);
  useEffect(() => {
    if (view.step > 0) for (const cue of cuesOf(spec, belt, view.events)) playCue(cue);
  }, [spec, belt, view.events, view.step]);

  const another = () => onOpen({ timeMax });
  const { saved, save } = useSaving(view.ended ? game : null, () => game.save()); // one that goes on may be saved again
  return (
    <div className="play-board" data-step={view.step} data-seed={String(game.seed)} data-ended={view.ended}>
      <div className="play-main">
        <div className="play-stage">
          <div className="prospector-window">
            <SectorView spec={spec} belt={belt} events={view.events} moment={view.step} pilot="human" onSelect={pilot.select} />
            <BeltMap belt={belt} pilot="human" onTravel={pilot.travel} />
          </div>
          <Feedback spec={spec} view={view} waiting={waiting} />
          {guide.shown && <Guide lesson={view.lesson} onClose={guide.hide} onRestart={() => game.setLesson("leave")} />}
        </div>
        {view.ended && <Over onShow={() => setResultSeen(false)} />}
        <Deck spec={spec} belt={belt} hints={hints} over={view.ended} narrow={narrow} last={view.last} onAct={pilot.act} />
      </div>
      <aside className="play-side">
        <Controls
          game={game}
          view={view}
          run={run}
          timeMax={timeMax}
          guideShown={guide.shown}
          onGuide={guide.shown ? guide.hide : guide.show}
          onRepeat={pilot.repeat}
          onOpen={onOpen}
          onReset={onReset}
          onEnd={view.ended ? () => setResultSeen(false) : ask}
          onHelp={help}
          onSave={save}
          sound={<SoundSwitch />}
        />
        <section className="panel play-ship" aria-label="Ship">
          <Gauges belt={belt} />
          <Metrics belt={belt} />
        </section>
        <Panels spec={spec} view={view} onSelect={pilot.select} />
      </aside>
      <Help spec={spec} open={dialog === "help"} onClose={() => setDialog(null)} />
      <AskToEnd open={dialog === "end"} game={game} onClose={() => setDialog(null)} onLeave={another} />
      <EndScreen
        view={view}
        open={view.ended && !resultSeen}
        others={others}
        onClose={() => setResultSeen(true)}
        onAgain={onReset}
        onNew={another}
        saved={saved}
        onSave={save}
      />
    </div>
  );
}

function Over({ onShow }: { onShow: () => void }) {
  return (
    <Note tone="good">
      <span>The game is over.</span>
      <Button kind="primary" onClick={onShow}>
        Show the result
      </Button>
    </Note>
  );
}
