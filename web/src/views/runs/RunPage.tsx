import { Link, useParams, useSearchParams } from "react-router";
import { getRun, type RunDetail } from "../../api/analytics";
import { useResource } from "../../api/useResource";
import { shortNumber } from "../../parts/chart";
import { Badge, ErrorNote, Loading, Panel, Tabs } from "../../parts/ui";
import { Lineage } from "../analytics/Lineage";
import { analyticsLink, watchLink } from "../analytics/links";
import "../analytics/analytics.css";
import { STATUS_TONES } from "./Catalogue";
import { duration } from "./runList";
import { Config } from "./Config";
import { Downloads } from "./Downloads";
import { Gallery } from "./Gallery";

const TABS = [
  { key: "lineage", label: "Lineage" },
  { key: "config", label: "Config" },
  { key: "downloads", label: "Downloads" },
  { key: "charts", label: "Charts" },
] as const;
const POLL_MS = 8000;

export function RunPage() {
  const { runId = "" } = useParams();
  const [address, setAddress] = useSearchParams();
  const tab = TABS.find((each) => each.key === address.get("tab"))?.key ?? "lineage";
  const { data, error, loading, reload } = useResource(runId, (signal) => getRun(runId, signal), { pollMs: POLL_MS });
  return (
    <div className="stack">
      <nav aria-label="Back">
        <Link to="/runs">← all runs</Link>
      </nav>
      {loading && <Loading what="the run" />}
      {error !== undefined && <ErrorNote error={error} title={data ? "What you see may be old." : "This run cannot be shown."} onRetry={reload} />}
      {data && (
        <>
          <Head run={data} />
          <Tabs label="About this run" tabs={TABS} chosen={tab} onChoose={(key) => setAddress({ tab: key }, { replace: true })}>
            {tab === "lineage" && (
              <Panel title="Where it comes from">
                <Lineage record={data.metadata} />
              </Panel>
            )}
            {tab === "config" && <Config run={data} />}
            {tab === "downloads" && <Downloads runId={runId} />}
            {tab === "charts" && <Gallery runId={runId} />}
          </Tabs>
        </>
      )}
    </div>
  );
}

function Head({ run }: { run: RunDetail }) {
  const { metadata } = run;
  const metrics: [string, string | number][] = [
    ["env steps", shortNumber(metadata.env_steps_total ?? 0)],
    ["windows", run.window_count],
    ["episodes", shortNumber(metadata.episodes_total ?? 0)],
    ["checkpoints", metadata.checkpoints_written ?? 0],
    ["replays", run.replay_count],
    ["took", duration(metadata.started_at, metadata.finished_at ?? metadata.updated_at)],
  ];
  return (
    <>
      <div className="page-head">
        <h1 className="run-name">{run.run_id}</h1>
        <Badge>{metadata.game}</Badge>
        <Badge tone={STATUS_TONES[metadata.status ?? ""]}>{metadata.status}</Badge>
        <span className="row push">
          <Link className="button button-primary" to={watchLink(run.run_id)}>Watch</Link>
          <Link className="button button-plain" to={analyticsLink(run.run_id)}>Analytics</Link>
        </span>
      </div>
      <Trackers run={run} />
      <ul className="run-metrics">
        {metrics.map(([name, value]) => (
          <li key={name}>
            <strong className="numbers">{value}</strong> <span className="soft">{name}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Other places of the run's metrics: a web page, or a command for this machine. */
function Trackers({ run }: { run: RunDetail }) {
  if (run.trackers.length === 0) return null;
  return (
    <p className="small soft" data-part="trackers">
      {run.trackers.map(({ name, url, command }) => (
        <span key={name} className="run-tracker">
          {url && /^https?:/.test(url) ? (
            <a href={url} rel="noreferrer noopener" target="_blank">
              {name}
            </a>
          ) : (
            <>
              {name}: <code>{command}</code>
            </>
          )}
        </span>
      ))}
    </p>
  );
}
