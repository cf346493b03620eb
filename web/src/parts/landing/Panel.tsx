// What lies over the picture of a descent: numbers, time, the end.
import { setting, type GameSpec } from "../player/source";
import { Ending } from "../three/Ending";
import { Hud } from "../three/Hud";
import type { LandingState, Rules } from "./state";
import { endingOf, readings } from "./words";

type Props = { state: LandingState; spec: GameSpec; config: Readonly<Record<string, unknown>> };

export function Panel({ state, spec, config }: Props) {
  const end = endingOf(state);
  return (
    <>
      <div className="scene-clock numbers" role="timer" aria-label="Time left">
        {state.timeLeft.toFixed(1)} s
      </div>
      <Hud readings={readings(state, rulesOf(spec, config), setting(spec, config, "max_tilt"))} />
      {end && <Ending good={end.good}>{end.text}</Ending>}
    </>
  );
}

function rulesOf(spec: GameSpec, config: Readonly<Record<string, unknown>>): Rules {
  const value = (name: string) => setting(spec, config, name);
  return { gravity: value("gravity"), maxThrust: value("max_thrust"), startMass: value("dry_mass") + value("fuel"), descent: value("descent") };
}
