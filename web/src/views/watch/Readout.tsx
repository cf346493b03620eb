import { shortNumber } from "../../parts/chart";
import type { Playback } from "../../parts/player/playback";
import type { Source } from "../../parts/player/source";
import { useFrame } from "../../parts/player/usePlayback";

/** The current moment in numbers: step, tick, duration of the decision, actions and rewards. */
export function Readout({ source, playback }: { source: Source; playback: Playback }) {
  const frame = useFrame(source, playback);
  if (!frame) return null;
  const roles = source.facts.agents;
  return (
    <div className="readout" data-testid="readout">
      <span>
        step <span className="numbers">{frame.step}</span> of <span className="numbers">{source.steps}</span>
      </span>
      <span>
        t <span className="numbers">{frame.tick}</span>
      </span>
      <span>
        dt <span className="numbers">{frame.dt}</span>
      </span>
      {frame.actions.map((action, i) => (
        <span key={i}>
          {roles.length > 1 && `${roles[i]} `}
          <span className="numbers">{action}</span>, reward <span className="numbers">{shortNumber(frame.rewards[i] ?? 0)}</span>
        </span>
      ))}
    </div>
  );
}
