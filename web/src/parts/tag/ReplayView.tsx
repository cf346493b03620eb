// A replay of tag in 3D: smooth between steps, with what each agent sees below.
import { useMemo, useState } from "react";
import { useEventCues } from "../art/useEventCues";
import type { GameViewProps } from "../player/games";
import { setting } from "../player/source";
import { useMoment } from "../three/useMoment";
import { Button, icons } from "../ui";
import { CameraPicker } from "./CameraPicker";
import type { CameraMode } from "./cameras";
import { agentNames } from "./names";
import type { Extras } from "./scene";
import { SightStrip } from "./SightStrip";
import { reader, readState, type TagState } from "./state";
import { TagCanvas } from "./TagCanvas";
import { Won } from "./Won";

export default function ReplayView({ source, playback, frame, compact }: GameViewProps) {
  const [camera, setCamera] = useState<CameraMode>("both");
  const [extras, setExtras] = useState<Extras>({ sight: true, trails: true });
  const names = useMemo(() => agentNames(source.facts.agents), [source]);
  const momentNow = useMoment(source, playback, reader);
  const state = useMemo(() => readState(frame.render), [frame]);
  const degrees = setting(source.spec, source.facts.config, "field_of_view");
  const ended = frame.step >= source.steps;
  useEventCues("tag", frame.step, frame.events, playback.playing);
  return (
    <div className="scene-view">
      <TagCanvas
        momentNow={momentNow}
        names={names}
        camera={camera}
        extras={extras}
        viewSpread={(degrees * Math.PI) / 180}
        description={describe(state, names)}
        foot={compact ? 0.24 : 0.15}
      />
      <div className="scene-clock numbers" role="timer" aria-label="Time left">
        {state.timeLeft.toFixed(1)} s
      </div>
      <div className="scene-tools">
        <CameraPicker names={names} camera={camera} onChange={setCamera} />
        {!compact && (
          <>
            <Button icon={icons.eye} label="Show what they see" pressed={extras.sight} onClick={() => setExtras({ ...extras, sight: !extras.sight })} />
            <Button icon={icons.more} label="Show trails" pressed={extras.trails} onClick={() => setExtras({ ...extras, trails: !extras.trails })} />
          </>
        )}
      </div>
      {ended && state.winner > 0 && <Won winner={state.winner} seconds={state.tick / (setting(source.spec, source.facts.config, "tick_rate") || 60)} />}
      <div className={`sights${compact ? " sights-compact" : ""}`}>
        {state.agents.map((agent, i) => (
          <SightStrip key={i} agent={agent} name={names[i] ?? ""} range={setting(source.spec, source.facts.config, "vision_range")} />
        ))}
      </div>
    </div>
  );
}

function describe(state: TagState, names: readonly string[]): string {
  const places = state.agents.map((agent, i) => `${names[i]} at ${agent.place[0].toFixed(1)} east, ${agent.place[2].toFixed(1)} south`);
  return `The arena, ${state.timeLeft.toFixed(1)} seconds left: ${places.join("; ")}`;
}
