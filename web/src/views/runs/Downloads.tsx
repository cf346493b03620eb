// Downloads of a run by kind; ONNX policies are exported on request.
import { listFiles, listPolicies, type PolicyList, type RunFile } from "../../api/analytics";
import { apiUrl } from "../../api/client";
import { useResource } from "../../api/useResource";
import { shortNumber } from "../../parts/chart";
import { Badge, Details, Empty, ErrorNote, Loading, Note, Panel, Table, type Column } from "../../parts/ui";
import { fileSize } from "./runList";

const KINDS: Record<string, string> = {
  settings: "What was asked, what happened (JSON)",
  metrics: "Metrics: one row per window (JSON lines), one per episode (CSV)",
  weights: "Checkpoints and policies (PyTorch, no code inside)",
  export: "Exports (ONNX)",
  replay: "Replays (seed and actions)",
  chart: "Charts (PNG)",
  video: "Videos",
  log: "Logs",
  tensorboard: "TensorBoard",
  other: "Other files",
};
const MOST_OPEN = 20; // longer lists start folded

export function Downloads({ runId }: { runId: string }) {
  const { data, error, loading, reload } = useResource(runId, (signal) => listFiles(runId, signal));
  const files = data?.files ?? [];
  if (loading) return <Loading what="the files" />;
  if (!data) return <ErrorNote error={error} title="The files cannot be listed." onRetry={reload} />;
  return (
    <div className="stack">
      <Policies runId={runId} />
      {data.count === 0 && <Empty title="There is no file to download yet" />}
      {Object.keys(KINDS).map((kind) => {
        const ofKind = files.filter((file) => (file.kind in KINDS ? file.kind : "other") === kind);
        return ofKind.length > 0 && <Kind key={kind} title={KINDS[kind] ?? kind} files={ofKind} />;
      })}
    </div>
  );
}

const COLUMNS: Column<RunFile>[] = [
  { key: "path", title: "File", cell: (file) => <a href={apiUrl(file.url)} download={file.path.split("/").at(-1)}>{file.path}</a> },
  { key: "bytes", title: "Size", numeric: true, cell: (file) => fileSize(file.bytes) },
  { key: "updated", title: "Changed (UTC)", cell: (file) => file.updated_at.slice(0, 19).replace("T", " ") },
];

function Kind({ title, files }: { title: string; files: readonly RunFile[] }) {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return (
    <Details summary={<><strong>{title}</strong> <span className="soft">{files.length} files, {fileSize(bytes)}</span></>} open={files.length <= MOST_OPEN}>
      <Table caption={title} columns={COLUMNS} rows={files} rowKey={(file) => file.path} />
    </Details>
  );
}

const MOST_POLICIES = 8;

/** The newest few and the best; older ones when asked for. */
function PolicyTable({ policies, columns }: { policies: readonly Policy[]; columns: readonly Column<Policy>[] }) {
  const first = policies.filter((policy, at) => at < MOST_POLICIES || policy.best);
  const rest = policies.filter((policy) => !first.includes(policy));
  const key = (policy: Policy) => `${policy.role} ${policy.window_id}`;
  return (
    <>
      <Table caption="Policies as ONNX, newest first" columns={columns} rows={first} rowKey={key} />
      {rest.length > 0 && (
        <div className="downloads-older">
          <Details summary={`${rest.length} older ones`}>
            <Table caption="Older policies as ONNX" columns={columns} rows={rest} rowKey={key} />
          </Details>
        </div>
      )}
    </>
  );
}

type Policy = PolicyList["policies"][number];

function Policies({ runId }: { runId: string }) {
  const { data, error, loading, reload } = useResource(runId, (signal) => listPolicies(runId, signal));
  const columns: Column<Policy>[] = [
    { key: "role", title: "Role", cell: (policy) => policy.role },
    { key: "window", title: "Window", numeric: true, cell: (policy) => policy.window_id },
    { key: "steps", title: "Env steps", numeric: true, cell: (policy) => (policy.env_steps_total == null ? "missing" : shortNumber(policy.env_steps_total)) },
    { key: "marks", title: "Mark", cell: (policy) => <span className="row">{policy.best && <Badge tone="good">best</Badge>}{policy.newest && <Badge>newest</Badge>}</span> },
    { key: "file", title: "ONNX", cell: (policy) => <a href={apiUrl(policy.url)} download={`${policy.role}_${policy.window_id}.onnx`}>{policy.role}_{policy.window_id}.onnx</a> },
  ];
  return (
    <Panel title="Policies as ONNX" flush={Boolean(data?.count)}>
      {loading && <Loading what="the policies" />}
      {!data && error !== undefined && <ErrorNote error={error} onRetry={reload} />}
      {data && !data.available && <Note tone="warn">{data.reason}</Note>}
      {data?.available && data.count === 0 && <p className="soft">No checkpoint is kept yet; the first window that closes leaves one.</p>}
      {data && data.count > 0 && <PolicyTable policies={data.policies} columns={columns} />}
    </Panel>
  );
}
