// Land the craft by hand, or watch the autopilot.
import type { CameraMode } from "../../../parts/landing/cameras";
import { CAMERAS, LandingCanvas } from "../../../parts/landing/LandingCanvas";
import { Panel } from "../../../parts/landing/Panel";
import { reader, type LandingState } from "../../../parts/landing/state";
import { describe, endingOf } from "../../../parts/landing/words";
import type { SoloGame, ViewProps } from "../solo/game";
import { SoloPlay } from "../solo/SoloPlay";
import { actionOf, bindings, touch } from "./controls";

const GAME: SoloGame<LandingState, CameraMode> = {
  name: "landing",
  reader,
  bindings,
  touch,
  action: actionOf,
  cameras: CAMERAS,
  View,
  good: (state) => endingOf(state)?.good ?? false,
  invitation: { title: "A pad, a few hundred metres down.", text: "Touch it at 2 m/s or slower, upright, before the fuel is gone." },
  legend: (
    <>
      <kbd>Space</kbd> thrusts, <kbd>Shift</kbd> at half; <kbd>W</kbd> <kbd>A</kbd> <kbd>S</kbd> <kbd>D</kbd> push sideways, arrows tilt. On a gamepad: the right
      trigger and the sticks; on a phone, the stick and the button.
    </>
  ),
};

function View({ momentNow, state, session, camera, onDrawn }: ViewProps<LandingState, CameraMode>) {
  return (
    <>
      <LandingCanvas momentNow={momentNow} camera={camera} description={describe(state)} onDrawn={onDrawn} />
      <Panel state={state} spec={session.spec} config={session.config} />
    </>
  );
}

export default function PlayLanding() {
  return <SoloPlay game={GAME} />;
}
