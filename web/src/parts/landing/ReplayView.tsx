// A replay of landing in 3D: smooth between steps, with the numbers of the step over it.
import { useMemo, useState } from "react";
import type { GameViewProps } from "../player/games";
import { useMoment } from "../three/useMoment";
import { Select } from "../ui";
import type { CameraMode } from "./cameras";
import { CAMERAS, LandingCanvas } from "./LandingCanvas";
import { Panel } from "./Panel";
import { reader, readState } from "./state";
import { describe } from "./words";

export default function ReplayView({ source, playback, frame }: GameViewProps) {
  const [camera, setCamera] = useState<CameraMode>("both");
  const momentNow = useMoment(source, playback, reader);
  const state = useMemo(() => readState(frame.render), [frame]);
  return (
    <div className="scene-view">
      <LandingCanvas momentNow={momentNow} camera={camera} description={describe(state)} />
      <Panel state={state} spec={source.spec} config={source.facts.config} />
      <div className="scene-tools">
        <Select label="Camera" hideLabel value={camera} options={CAMERAS} onChange={setCamera} />
      </div>
    </div>
  );
}
