// One moment of training: how it plays the shared seed, and how often it wins on seeds it has never seen.
import type { LearningResult, Stage } from "../../api/learning";
import { viewOf } from "../../parts/player/games";
import type { Playback } from "../../parts/player/playback";
import type { Source } from "../../parts/player/source";
import type { Opened } from "../../parts/player/useSource";
import { useFrame } from "../../parts/player/usePlayback";
import { capital } from "../../parts/player/words";
import { ErrorNote, Loading } from "../../parts/ui";
import { colourOf } from "./Curve";
import { intervalText, stageName, valueText } from "./stages";

type Props = { stage: Stage; seed: number; opened: Opened; playback: Playback; moved?: boolean };

/** moved: the one that the slider moves. */
export function Pane({ stage, seed, opened, playback, moved = false }: Props) {
  const name = capital(stageName(stage));
  return (
    <section className={`learn-pane${moved ? " learn-moved" : ""}`} aria-label={moved ? `${name}, under the slider` : name}>
      <h2>{name}</h2>
      {opened.error ? <ErrorNote error={opened.error} onRetry={opened.retry} /> : opened.source ? <Picture source={opened.source} playback={playback} /> : <Loading what="this round" />}
      <Ending opened={opened} playback={playback} word={stage.replays[seed]?.ending ?? ""} />
      <dl className="learn-results">
        {stage.results.map((result) => (
          <Result key={result.label} result={result} />
        ))}
      </dl>
    </section>
  );
}

function Picture({ source, playback }: { source: Source; playback: Playback }) {
  const frame = useFrame(source, playback);
  const View = viewOf(source.facts.game);
  return (
    <div className="stage" data-replay={source.facts.replayId}>
      {frame ? <View source={source} playback={playback} frame={frame} compact /> : <Loading what="the first frame" />}
    </div>
  );
}

/** How this round ended, once it has: nobody is told the end before. */
function Ending({ opened, playback, word }: { opened: Opened; playback: Playback; word: string }) {
  return <p className="small soft learn-ending">{opened.source ? <Ended source={opened.source} playback={playback} word={word} /> : " "}</p>;
}

function Ended({ source, playback, word }: { source: Source; playback: Playback; word: string }) {
  const frame = useFrame(source, playback);
  const over = frame !== null && frame.step >= source.steps;
  if (!over || !word) return <>This round: under way</>;
  return (
    <>
      This round: <strong>{source.facts.agents.includes(word) ? `${word} wins` : word}</strong>
    </>
  );
}

function Result({ result }: { result: LearningResult }) {
  const { label, role, share, value, low, high } = result;
  const interval = intervalText(result);
  return (
    <div>
      <dt className="small">{label}</dt>
      <dd>
        <span className="learn-value">
          <strong className="numbers">{valueText(result)}</strong> {interval && <span className="small faint numbers">({interval})</span>}
        </span>
        {share && (
          <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
            <rect width="100" height="8" fill="var(--sunken)" />
            <rect width={value * 100} height="8" fill={colourOf(role)} />
            {low != null && high != null && <rect x={low * 100} y="3" width={Math.max(0.5, (high - low) * 100)} height="2" fill="var(--ink)" />}
          </svg>
        )}
      </dd>
    </div>
  );
}
