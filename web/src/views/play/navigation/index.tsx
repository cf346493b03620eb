// Walk to the goal by hand, or watch a scripted walker.
import type { CameraMode } from "../../../parts/navigation/cameras";
import { CAMERAS, NavigationCanvas } from "../../../parts/navigation/NavigationCanvas";
import { Panel } from "../../../parts/navigation/Panel";
import { Ending, reader, type NavigationState } from "../../../parts/navigation/state";
import { describe } from "../../../parts/navigation/words";
import type { SoloGame, ViewProps } from "../solo/game";
import { SoloPlay } from "../solo/SoloPlay";
import { actionOf, bindings, touch } from "./controls";

const GAME: SoloGame<NavigationState, CameraMode> = {
  name: "navigation",
  reader,
  bindings,
  touch,
  action: actionOf,
  cameras: CAMERAS,
  View,
  good: ({ ending }) => ending === Ending.Goal,
  invitation: { title: "Walk to the column of light.", text: "Whoever wears the headset feels every bump, hard turn and sudden start." },
  legend: (
    <>
      <kbd>W</kbd> <kbd>S</kbd> walk, <kbd>A</kbd> <kbd>D</kbd> step aside, arrows or <kbd>Q</kbd> <kbd>E</kbd> turn, <kbd>Shift</kbd> is easy on the wearer. On a
      gamepad or a phone: the left stick walks, the right one turns.
    </>
  ),
};

function View({ momentNow, state, session, camera }: ViewProps<NavigationState, CameraMode>) {
  return (
    <>
      <NavigationCanvas momentNow={momentNow} camera={camera} rays={false} description={describe(state)} />
      <Panel state={state} camera={camera} spec={session.spec} config={session.config} />
    </>
  );
}

export default function PlayNavigation() {
  return <SoloPlay game={GAME} />;
}
