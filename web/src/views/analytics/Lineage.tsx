// Origin and location of a run: backend, status, times, versions, seeds, paths, links elsewhere.
import type { ReactNode } from "react";
import { Link } from "react-router";
import type { RunRecord } from "../../api/analytics";
import { Badge } from "../../parts/ui";
import { runLink } from "./links";
import { moment } from "./Sources";

const PATHS = ["config_path", "metrics_windows_path", "metrics_episodes_path", "checkpoints_dir", "replays_dir", "replay_index_path"] as const;

export function Lineage({ record }: { record: RunRecord }) {
  const facts: [string, ReactNode][] = [
    ["Run", <Link key="run" to={runLink(record.run_id)}>{record.run_id}</Link>],
    ["Game", `${record.game}${record.spec_hash ? `, spec ${record.spec_hash}` : ""}`],
    ["Status", <Status key="status" record={record} />],
    ["Trainer", record.trainer_backend],
    ["Seed", String(record.seed)],
    ["Git revision", revisionOf(record.run_id)],
    ["Resumed", resumesOf(record)],
    ["Started", moment(record.started_at)],
    ["Updated", moment(record.updated_at)],
    ["Finished", record.finished_at ? moment(record.finished_at) : record.status === "running" ? "not yet" : "missing"],
    ["Env steps", `${record.env_steps_total.toLocaleString("en")}${record.target_env_steps ? ` of ${record.target_env_steps.toLocaleString("en")}` : ""}`],
    ["Versions", Object.entries(record.versions ?? {}).map(([name, version]) => `${name} ${version}`).join(", ") || "missing"],
    ["Training", Object.entries(record.trainer_info ?? {}).map(([name, value]) => `${name} ${asText(value)}`).join(", ") || "missing"],
    ["Checkpoints kept", Object.entries(record.retention ?? {}).map(([name, value]) => `${name} ${value}`).join(", ") || "missing"],
    ["Paths", PATHS.map((name) => record[name]).join(", ")],
    ["Weights & Biases", <Elsewhere key="wandb" url={record.wandb_run_url} />],
  ];
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Status({ record }: { record: RunRecord }) {
  const tone = { running: "good", completed: "plain", stopped: "warn", interrupted: "warn", failed: "bad" } as const;
  return (
    <>
      <Badge tone={tone[record.status ?? "running"]}>{record.status}</Badge> {record.error}
    </>
  );
}

/** Only addresses of the web become links; a run's file could say anything. */
function Elsewhere({ url }: { url: string | null | undefined }) {
  if (!url) return <>none recorded</>;
  return /^https?:\/\//.test(url) ? (
    <a href={url} rel="noreferrer noopener" target="_blank">
      {url}
    </a>
  ) : (
    <>{url}</>
  );
}

/** A run's id ends in the revision that trained it. */
function revisionOf(runId: string): string {
  const found = /Z-([0-9a-f]{4,40}|nogit)(-\d+)?$/.exec(runId)?.[1];
  return !found ? "missing" : found === "nogit" ? "not trained from a checkout" : found;
}

/** "after window 12 at …": each time, the newest last. */
function resumesOf({ resumes = [] }: RunRecord): string {
  const texts = resumes.map(({ at, window_id }) => `${window_id === null ? "from the start" : `after window ${window_id}`} at ${moment(at)}`);
  return texts.join(", ") || "never";
}

function asText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
