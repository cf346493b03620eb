// The charts that `sandlot plot` drew, as pictures.
import { useState } from "react";
import { listFiles, type RunFile } from "../../api/analytics";
import { apiUrl } from "../../api/client";
import { useResource } from "../../api/useResource";
import { Dialog, Empty, ErrorNote, Loading } from "../../parts/ui";
import { analyticsLink } from "../analytics/links";
import { formatName } from "../analytics/chartGroups";
import { Link } from "react-router";

export function Gallery({ runId }: { runId: string }) {
  const { data, error, loading, reload } = useResource(runId, (signal) => listFiles(runId, signal));
  const [shown, setShown] = useState<RunFile>();
  if (loading) return <Loading what="the charts" />;
  if (!data) return <ErrorNote error={error} onRetry={reload} />;
  const charts = data.files.filter((file) => file.kind === "chart" && file.path.endsWith(".png"));
  if (charts.length === 0)
    return (
      <Empty title="No chart was drawn yet" hint={<>Draw them with <code>sandlot plot {runId}</code>.</>}>
        <Link to={analyticsLink(runId)}>Analytics draws live ones.</Link>
      </Empty>
    );
  return (
    <>
      <ul className="gallery">
        {charts.map((chart) => (
          <li key={chart.path}>
            <button type="button" onClick={() => setShown(chart)}>
              <img src={addressOf(chart)} alt={`Chart: ${nameOf(chart)}`} loading="lazy" />
              <span>{nameOf(chart)}</span>
            </button>
          </li>
        ))}
      </ul>
      {shown && (
        <Dialog title={nameOf(shown)} open onClose={() => setShown(undefined)}>
          <img src={addressOf(shown)} alt={`Chart: ${nameOf(shown)}`} />
          <a href={addressOf(shown)} download>
            Download
          </a>
        </Dialog>
      )}
    </>
  );
}

/** The time of its drawing is part of the address, so that a chart drawn anew is fetched anew. */
const addressOf = (file: RunFile) => apiUrl(file.url, { drawn: file.updated_at });
const nameOf = (file: RunFile) => formatName(file.path.split("/").at(-1)?.replace(/\.png$/, "") ?? file.path);
