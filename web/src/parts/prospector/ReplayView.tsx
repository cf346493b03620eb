// The prospector in the replay player: the sector and the map of the belt, and beside them everything the ship's
// instruments say at this step. The policy saw 260 numbers; this picture is made from the engine's render block.
import { useEffect, useMemo } from "react";
import { playCue } from "../art";
import type { GameViewProps } from "../player/games";
import { readBelt } from "./belt";
import { BeltMap } from "./BeltMap";
import { cuesOf } from "./effects";
import { readEvents } from "./events";
import { Metrics } from "./Metrics";
import { Gauges } from "./Gauges";
import { LastAction, RewardParts } from "./LastAction";
import { Market } from "./Market";
import { SectorView } from "./SectorView";
import { asProspector } from "./spec";
import "./prospector.css";

export default function ReplayView({ source, playback, frame, compact }: GameViewProps) {
  const spec = asProspector(source.spec);
  const belt = useMemo(() => readBelt(spec, frame.render), [spec, frame]);
  const events = useMemo(() => readEvents(frame.events), [frame]);
  useEffect(() => {
    if (playback.playing) for (const cue of cuesOf(spec, belt, events)) playCue(cue);
  }, [spec, belt, events, playback]);
  return (
    <div className={`prospector${compact ? " prospector-compact" : ""}`} data-view="prospector" data-step={frame.step}>
      <div className="prospector-top">
        <div className="prospector-window">
          <SectorView spec={spec} belt={belt} events={events} moment={frame.step} pilot="agent" />
          <BeltMap belt={belt} pilot="agent" />
        </div>
        <Gauges belt={belt} />
      </div>
      <div className="prospector-strip">
        <LastAction spec={spec} belt={belt} paid={frame.rewards[0] ?? 0} />
        <RewardParts belt={belt} />
      </div>
      <div className="prospector-panels">
        <Metrics belt={belt} />
        {!compact && <Market belt={belt} />}
      </div>
    </div>
  );
}
