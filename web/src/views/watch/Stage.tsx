// One replay on screen: its picture, who plays, whether it was verified.
import { viewOf } from "../../parts/player/games";
import type { Playback } from "../../parts/player/playback";
import type { Source } from "../../parts/player/source";
import { roleColour } from "../../parts/player/shownByGames";
import { capital } from "../../parts/player/words";
import { useArrivals, useFrame } from "../../parts/player/usePlayback";
import { Badge, icons, Loading } from "../../parts/ui";

type Props = { source: Source; playback: Playback; compact?: boolean; title?: string; plain?: boolean };

/** plain: without the names of the players, for who meets the site first. */
export function Stage({ source, playback, compact = false, title, plain = false }: Props) {
  const frame = useFrame(source, playback);
  const View = viewOf(source.facts.game);
  return (
    <div className="stage" data-replay={source.facts.replayId}>
      <div className="stage-head">
        {title && <strong>{title}</strong>}
        {!plain && (
          <>
            <span className="numbers">window {source.facts.windowId ?? "–"}</span>
            <Players source={source} />
          </>
        )}
        <span className="push">
          <Verified source={source} />
        </span>
      </div>
      {frame ? (
        <View source={source} playback={playback} frame={frame} compact={compact} />
      ) : (
        <Loading what="the first frame" />
      )}
    </div>
  );
}

function Players({ source }: { source: Source }) {
  return Object.entries(source.facts.policies).map(([role, name]) => (
    <Badge key={role} tone={roleColour(role) ?? "plain"}>
      {role}: {name}
    </Badge>
  ));
}

/** Shows whether re-simulating the replay in this page matched every recorded state hash. */
export function Verified({ source }: { source: Source }) {
  useArrivals(source);
  const verdict = source.verdict();
  switch (verdict.state) {
    case "yes":
      return <Badge tone="good" icon={icons.check} title="Played again in this page; every recorded state hash was met.">verified</Badge>;
    case "no":
      return <Badge tone="bad" icon={icons.cross} title={verdict.why}>not verified: {verdict.why}</Badge>;
    case "checking":
      return <Badge title="It is being played again in this page.">checking {Math.round(verdict.share * 100)} %</Badge>;
    case "unchecked":
      return <Badge tone="warn" title={verdict.why}>server frames</Badge>;
    case "elsewhere":
      return <Badge title="Recorded frame by frame: these physics cannot be played again bit by bit.">played in {capital(verdict.engine)}</Badge>;
  }
}
