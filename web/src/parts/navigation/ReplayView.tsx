// A replay of navigation in 3D: smooth between steps, with the numbers of the step over it.
import { useMemo, useState } from "react";
import type { GameViewProps } from "../player/games";
import { useMoment } from "../three/useMoment";
import { Button, icons, Select } from "../ui";
import type { CameraMode } from "./cameras";
import { CAMERAS, NavigationCanvas } from "./NavigationCanvas";
import { Panel } from "./Panel";
import { reader, readState } from "./state";
import { describe } from "./words";

export default function ReplayView({ source, playback, frame, compact }: GameViewProps) {
  const [camera, setCamera] = useState<CameraMode>("behind");
  const [rays, setRays] = useState(true);
  const momentNow = useMoment(source, playback, reader);
  const state = useMemo(() => readState(frame.render), [frame]);
  return (
    <div className="scene-view">
      <NavigationCanvas momentNow={momentNow} camera={camera} rays={rays} description={describe(state)} />
      <Panel state={state} camera={camera} spec={source.spec} config={source.facts.config} />
      <div className="scene-tools">
        <Select label="Camera" hideLabel value={camera} options={CAMERAS} onChange={setCamera} />
        {!compact && <Button icon={icons.eye} label="Show the rays" pressed={rays} onClick={() => setRays(!rays)} />}
      </div>
    </div>
  );
}
