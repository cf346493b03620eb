// Controls of the game: new, restart, end; repeat and auto-run; help; seed and time budget.
import { useId, useState, type FormEvent, type ReactNode } from "react";
import { Button, Details, Slider } from "../../../parts/ui";
import type { Game, View } from "./game";
import { RATES, type AutoRun } from "./useAutoRun";
import { readSeed, readTime } from "./gameOptions";

type Props = {
  game: Game;
  view: View;
  run: AutoRun;
  timeMax: number;
  guideShown: boolean;
  sound: ReactNode;
  onGuide: () => void;
  onRepeat: () => void;
  onOpen: (options: { seed?: bigint; timeMax?: number }) => void;
  onReset: () => void;
  onEnd: () => void;
  onHelp: () => void;
  onSave: () => void;
};

export function Controls(props: Props) {
  const { view, run, guideShown, timeMax } = props;
  return (
    <section className="panel pr-controls" aria-label="Game">
      <div className="row">
        <Button onClick={() => props.onOpen({ timeMax })}>New</Button>
        <Button onClick={props.onReset}>Reset</Button>
        <Button onClick={props.onEnd}>End</Button>
        <span className="push row">
          <Button pressed={guideShown} onClick={props.onGuide}>
            Guide
          </Button>
          <Button onClick={props.onHelp}>Help</Button>
          {props.sound}
        </span>
      </div>
      <div className="row">
        <Button onClick={props.onRepeat} disabled={view.last === null || view.ended}>
          Repeat <kbd>Space</kbd>
        </Button>
        <Button pressed={run.running} onClick={run.running ? run.stop : run.start} disabled={view.last === null || view.ended}>
          {run.running ? "Stop" : "Auto-run"} <kbd>{run.running ? "Esc" : "A"}</kbd>
        </Button>
        <div className="pr-controls-rate">
          <Slider label="Steps a second" value={run.rate} min={RATES.low} max={RATES.high} onChange={run.setRate} />
        </div>
      </div>
      <div className="row small">
        <label className="row">
          <input type="checkbox" checked={run.stopOnEvent} onChange={(event) => run.setStopOnEvent(event.target.checked)} />
          stop on event
        </label>
        <span className="soft" role="status" data-part="autorun">
          {run.stoppedBecause && `Auto-run stopped: ${run.stoppedBecause}.`}
        </span>
      </div>
      <Details summary="Advanced">
        <Advanced {...props} />
      </Details>
    </section>
  );
}

function Advanced({ game, timeMax, onOpen, onSave, view }: Props) {
  const [seed, setSeed] = useState(String(game.seed));
  const [time, setTime] = useState(String(timeMax));
  const [problem, setProblem] = useState<string | null>(null);
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const [parsedSeed, parsedTime] = [readSeed(seed), readTime(time)];
    setProblem(parsedSeed.problem ?? parsedTime.problem);
    if (parsedSeed.value !== null && parsedTime.value !== null) onOpen({ seed: parsedSeed.value, timeMax: parsedTime.value });
  };
  return (
    <form className="pr-controls-form" onSubmit={submit}>
      <div className="field">
        <label className="field-label" htmlFor={`${id}-seed`}>
          Seed
        </label>
        <input id={`${id}-seed`} inputMode="numeric" autoComplete="off" value={seed} onChange={(event) => setSeed(event.target.value)} />
      </div>
      <div className="field">
        <label className="field-label" htmlFor={`${id}-time`}>
          Time budget, ticks
        </label>
        <input id={`${id}-time`} inputMode="numeric" autoComplete="off" value={time} onChange={(event) => setTime(event.target.value)} />
      </div>
      <Button type="submit">Open this belt</Button>
      <Button onClick={onSave} disabled={view.step === 0}>
        Save as replay
      </Button>
      {problem && (
        <p className="small pr-controls-problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
