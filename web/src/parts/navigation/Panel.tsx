// What lies over the picture of a walk: numbers, time, the vignette, the end.
import type { CSSProperties } from "react";
import { setting, type GameSpec } from "../player/source";
import { Ending } from "../three/Ending";
import { Hud } from "../three/Hud";
import type { CameraMode } from "./cameras";
import type { NavigationState } from "./state";
import { endingOf, readings } from "./words";

const LEAST_SHOWN = 0.01; // of the vignette

type Props = { state: NavigationState; camera: CameraMode; spec: GameSpec; config: Readonly<Record<string, unknown>> };

export function Panel({ state, camera, spec, config }: Props) {
  const end = endingOf(state, state.tick / (setting(spec, config, "tick_rate") || 1));
  return (
    <>
      {camera === "eyes" && state.vignette > LEAST_SHOWN && <div className="navigation-vignette" style={{ "--vignette": state.vignette } as CSSProperties} />}
      <div className="scene-clock numbers" role="timer" aria-label="Time left">
        {state.timeLeft.toFixed(1)} s
      </div>
      <Hud readings={readings(state, setting(spec, config, "max_collisions"))} />
      {end && <Ending good={end.good}>{end.text}</Ending>}
    </>
  );
}
