// Play the prospector by hand, in this page: the window into the belt, the instruments, and all 69 actions.
import { useCallback, useEffect, useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import { playCue, SoundSwitch } from "../../../parts/art";
import { BeltMap } from "../../../parts/prospector/BeltMap";
import { cuesOf } from "../../../parts/prospector/effects";
import { Figures } from "../../../parts/prospector/Figures";
import { Gauges } from "../../../parts/prospector/Gauges";
import { SectorView } from "../../../parts/prospector/SectorView";
import { actionId } from "../../../parts/prospector/spec";
import { Button, Dialog, ErrorNote, Loading, Note, toast } from "../../../parts/ui";
import "../../../parts/prospector/prospector.css";
import "./play.css";
import { Controls } from "./Controls";
import { Deck } from "./Deck";
import { EndScreen } from "./EndScreen";
import { Feedback } from "./Feedback";
import type { Game } from "./game";
import { Guide } from "./Guide";
import { Help } from "./Help";
import { walkFrom, type Command } from "./keys";
import { hintsOf } from "./lessons";
import { Panels } from "./Panels";
import { saveFile } from "./saveFile";
import { useAutoRun } from "./useAutoRun";
import { useGame, useView } from "./useGame";
import { useGuide, type Guiding } from "./useGuide";
import { useKeys } from "./useKeys";
import { useNarrow } from "./useNarrow";
import { useOthers } from "./useOthers";
import { DEFAULT_TIME, randomSeed, readSeed, readTime } from "./wishes";

export default function PlayProspector() {
  const [parameters, setParameters] = useSearchParams();
  const [chance, setChance] = useState(randomSeed);
  const seed = readSeed(parameters.get("seed") ?? String(chance));
  const time = readTime(parameters.get("time") ?? String(DEFAULT_TIME));
  const guide = useGuide();
  const { game, error, reopen } = useGame({ seed: seed.value ?? chance, timeMax: time.value ?? DEFAULT_TIME }, guide.first);

  /** A wish becomes the address, so that it can be shared and survives a reload. */
  const open = (next: { seed?: bigint; timeMax?: number }) => {
    const wished = new URLSearchParams({ game: "prospector" });
    if (next.seed !== undefined) wished.set("seed", String(next.seed));
    if (next.timeMax !== undefined && next.timeMax !== DEFAULT_TIME) wished.set("time", String(next.timeMax));
    if (next.seed === undefined) setChance(randomSeed());
    setParameters(wished, { replace: true });
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
  onOpen: (wish: { seed?: bigint; timeMax?: number }) => void;
  onReset: () => void;
};

function Board({ game, guide, timeMax, onOpen, onReset }: BoardProps) {
  const view = useView(game);
  const { spec } = game;
  const { belt } = view;
  const run = useAutoRun(game);
  const narrow = useNarrow();
  const [helpOpen, setHelpOpen] = useState(false);
  const [asking, setAsking] = useState(false);
  const [endSeen, setEndSeen] = useState(false);
  const others = useOthers(game, view.ended);
  const cashOut = actionId(spec, "CASH_OUT_END_EPISODE");
  const hints = useMemo(() => (guide.shown ? hintsOf(view.lesson, belt, spec) : []), [guide.shown, view.lesson, belt, spec]);

  useEffect(() => setEndSeen(false), [game]);
  useEffect(() => {
    if (view.step > 0) for (const cue of cuesOf(spec, belt, view.events)) playCue(cue);
  }, [spec, belt, view.events, view.step]);

  const act = useCallback(
    (action: number) => {
      if (run.running) run.stop();
      if (action === cashOut && game.reasonAgainst(action) === null && !game.view.ended) setAsking(true);
      else void game.act(action);
    },
    [game, run, cashOut],
  );
  const repeat = useCallback(() => {
    if (game.view.last !== null) act(game.view.last);
  }, [game, act]);
  const command = useCallback(
    (wish: Command) => {
      if (wish.do === "act") act(actionId(spec, wish.action));
      if (wish.do === "repeat") repeat();
      if (wish.do === "stop") run.stop();
      if (wish.do === "run") (run.running ? run.stop : run.start)();
      if (wish.do === "help") setHelpOpen(true);
      if (wish.do === "walk") walk(game, wish.by, act);
    },
    [spec, act, repeat, run, game],
  );
  const { waiting } = useKeys(spec, command);

  const select = (slot: number) => act(actionId(spec, `SELECT_ASTEROID_${slot}`));
  const save = () => {
    game.save().then(
      ({ name, bytes }) => saveFile(name, bytes),
      (error: unknown) => toast(error instanceof Error ? error.message : String(error)),
    );
  };
  return (
    <div className="play-board" data-step={view.step} data-seed={String(game.seed)} data-ended={view.ended}>
      <div className="play-main">
        <div className="play-stage">
          <div className="prospector-window">
            <SectorView spec={spec} belt={belt} events={view.events} moment={view.step} pilot="human" onSelect={select} />
            <BeltMap belt={belt} pilot="human" onTravel={(slot) => act(actionId(spec, `TRAVEL_NEIGHBOR_${slot}`))} />
          </div>
          <Feedback spec={spec} view={view} waiting={waiting} />
          {guide.shown && <Guide lesson={view.lesson} onClose={guide.hide} onRestart={() => game.setLesson("leave")} />}
        </div>
        {view.ended && (
          <Note tone="good">
            <span>The game is over.</span>
            <Button kind="primary" onClick={() => setEndSeen(false)}>
              Show the result
            </Button>
          </Note>
        )}
        <Deck spec={spec} belt={belt} hints={hints} over={view.ended} narrow={narrow} last={view.last} onAct={act} />
      </div>
      <aside className="play-side">
        <Controls
          game={game}
          view={view}
          run={run}
          timeMax={timeMax}
          guideShown={guide.shown}
          onGuide={() => (guide.shown ? guide.hide() : guide.show())}
          onRepeat={repeat}
          onOpen={onOpen}
          onReset={onReset}
          onEnd={() => (view.ended ? setEndSeen(false) : setAsking(true))}
          onHelp={() => setHelpOpen(true)}
          onSave={save}
          sound={<SoundSwitch />}
        />
        <section className="panel play-ship" aria-label="Ship">
          <Gauges belt={belt} />
          <Figures belt={belt} />
        </section>
        <Panels spec={spec} view={view} onSelect={select} />
      </aside>
      <Help spec={spec} open={helpOpen} onClose={() => setHelpOpen(false)} />
      <AskCashOut open={asking} game={game} cashOut={cashOut} onClose={() => setAsking(false)} onLeave={() => onOpen({ timeMax })} />
      <EndScreen
        view={view}
        open={view.ended && !endSeen}
        others={others}
        onClose={() => setEndSeen(true)}
        onAgain={onReset}
        onNew={() => onOpen({ timeMax })}
        onSave={save}
      />
    </div>
  );
}

function walk(game: Game, by: 1 | -1, act: (action: number) => void): void {
  const { belt } = game.view;
  const ids = game.spec.actions.flatMap((action, id) => (action.name.startsWith("SELECT_ASTEROID_") ? [id] : []));
  const slot = walkFrom(belt.selected, by, ids.map((id) => belt.reasons[id] === 0));
  const id = ids[slot ?? 0];
  if (id !== undefined) act(id); // with nothing to walk to, the rules say why not
}

type AskProps = { open: boolean; game: Game; cashOut: number; onClose: () => void; onLeave: () => void };

/** Ending is asked for once more: by cashing out where the rules allow it, else by leaving the game. */
function AskCashOut({ open, game, cashOut, onClose, onLeave }: AskProps) {
  const against = game.reasonAgainst(cashOut);
  const { belt } = game.view;
  const finish = () => {
    onClose();
    if (against === null) void game.act(cashOut);
    else onLeave();
  };
  return (
    <Dialog
      open={open}
      title={against === null ? "Cash out and end the game?" : "Give up this game?"}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Go on playing</Button>
          <Button kind="danger" onClick={finish}>
            {against === null ? "Cash out" : "Give up"}
          </Button>
        </>
      }
    >
      <p>
        {against === null
          ? `You would end with ${Math.round(belt.credits).toLocaleString("en")} credits.`
          : `Cashing out is not possible now. ${against} Giving up leaves this belt without a score and opens another.`}
        {belt.cargoValue >= 1 && ` Unsold cargo of ${Math.round(belt.cargoValue).toLocaleString("en")} credits is worth nothing then.`}
      </p>
    </Dialog>
  );
}
