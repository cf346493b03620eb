// What is being trained at the moment, in numbers that need no glossary.
import { Link } from "react-router";
import { listRuns, type RunSummary } from "../../api/analytics";
import { useResource } from "../../api/useResource";
import { shortNumber } from "../../parts/chart";
import { capital } from "../../parts/player/words";
import { analyticsLink } from "../analytics/links";
import { span } from "../learn/stages";

const POLL_MS = 5000;
const MOST = 4;

export function TrainingNow() {
  const runs = useResource("training now", (signal) => listRuns(200, signal), { pollMs: POLL_MS });
  const running = (runs.data?.runs ?? []).filter((run) => run.status === "running").slice(0, MOST);
  if (!runs.data) return null;
  return (
    <section className="training-now" aria-label="Training now">
      <h2>Training now</h2>
      {running.length === 0 ? (
        <p className="small soft">
          Nothing at the moment. Start one in a terminal: <code>sandlot train tag --minutes 5</code>
        </p>
      ) : (
        <ul>
          {running.map((run) => (
            <Running key={run.run_id} run={run} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Running({ run }: { run: RunSummary }) {
  const seconds = (Date.now() - Date.parse(run.started_at)) / 1000;
  const share = run.target_env_steps ? Math.min(1, run.env_steps_total / run.target_env_steps) : null;
  return (
    <li className="small">
      <Link to={analyticsLink(run.run_id)}>{capital(run.game)}</Link>, for {span(seconds)}: <span className="numbers">{shortNumber(run.episodes_total)}</span>{" "}
      {run.episodes_total === 1 ? "round" : "rounds"} played, <span className="numbers">{shortNumber(run.env_steps_total)}</span> decisions
      {share !== null && <progress value={share} aria-label={`${Math.round(share * 100)} % of the training`} />}
    </li>
  );
}
