// Everyone against everyone: a heat map with its numbers, or for one pilot a ranking.
import { getLeague, type RunSummary } from "../../api/analytics";
import { useResource } from "../../api/useResource";
import { percent, shortNumber } from "../../parts/chart";
import { Empty, ErrorNote, Loading, Note, Panel, Table, type Column } from "../../parts/ui";
import { heatMapOf, shade, type HeatMap, type League, type Ranked, type Standing } from "./leagueReport";

const POLL_MS = 20_000;

export function LeagueTab({ run }: { run: RunSummary }) {
  const { data, error, loading, reload } = useResource(run.run_id, (signal) => getLeague(run.run_id, signal), { pollMs: POLL_MS });
  if (loading) return <Loading what="the league" />;
  if (!data) return <ErrorNote error={error} title="The league cannot be read." onRetry={reload} />;
  if (!data.report) return <Empty title="No league was played yet" hint={data.hint ?? `Play one with sandlot league ${run.game}.`} />;
  const league = data.report as unknown as League;
  const map = heatMapOf(league);
  return (
    <div className="stack">
      {!data.takes_part && <Note>This run is not in the newest league of {run.game}; it is shown all the same.</Note>}
      <p className="small soft">
        {league.episodes} held-out episodes {map ? "a pair" : "a player"}, the same seeds for all. Played {data.updated_at?.slice(0, 16).replace("T", " ")} UTC.
      </p>
      {map && (
        <Panel title={`Who beats whom: ${map.rowRole} wins in %`}>
          <Heat map={map} />
        </Panel>
      )}
      {league.standings && <Standings standings={league.standings} labels={league.labels} />}
      {league.ranking && <Ranking ranking={league.ranking} labels={league.labels} />}
    </div>
  );
}

function Heat({ map }: { map: HeatMap }) {
  const colour = (share: number) => {
    const { side, percent: strength } = shade(share);
    const role = side === "row" ? map.rowRole : map.columnRole;
    const token = role === "seeker" || role === "hider" ? role : side === "row" ? "series-1" : "series-2";
    return `color-mix(in oklab, var(--${token}) ${strength}%, var(--surface))`;
  };
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label="Cross-play matrix">
      <table className="heat">
        <caption className="unseen">
          Share of matches that the {map.rowRole} of the row wins against the {map.columnRole} of the column
        </caption>
        <thead>
          <tr>
            <th scope="col">
              {map.rowRole} \ {map.columnRole}
            </th>
            {map.columns.map((column) => (
              <th key={column.name} scope="col">
                {column.name}
                <span className="small soft numbers">{column.rating === null ? "" : Math.round(column.rating)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {map.rows.map((row, at) => (
            <tr key={row.name}>
              <th scope="row">
                {row.name} <span className="small soft numbers">{row.rating === null ? "" : Math.round(row.rating)}</span>
              </th>
              {(map.wins[at] ?? []).map((share, place) => (
                <td key={map.columns[place]?.name} style={{ background: colour(share) }} title={`${row.name} wins ${percent(share)} against ${map.columns[place]?.name}`}>
                  {Number.isFinite(share) ? Math.round(100 * share) : "–"}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Standings({ standings, labels }: { standings: readonly Standing[]; labels: Record<string, string> }) {
  const columns: Column<Standing>[] = [
    { key: "name", title: "Player", cell: (each) => labels[each.name] ?? each.name },
    { key: "role", title: "Role", cell: (each) => each.role },
    { key: "rating", title: "Rating", numeric: true, cell: (each) => Math.round(each.rating) },
    { key: "interval", title: "95 %", numeric: true, cell: (each) => (each.rating_interval ? each.rating_interval.map(Math.round).join(" to ") : "–") },
  ];
  const rows = [...standings].sort((a, b) => b.rating - a.rating);
  return (
    <Panel title="Ratings" flush>
      <Table caption="Ratings of the league, the strongest first" columns={columns} rows={rows} rowKey={(each) => `${each.role} ${each.name}`} />
    </Panel>
  );
}

function Ranking({ ranking, labels }: { ranking: readonly Ranked[]; labels: Record<string, string> }) {
  const most = Math.max(1, ...ranking.map((each) => each.net_profit_mean));
  const columns: Column<Ranked>[] = [
    { key: "name", title: "Player", cell: (each) => labels[each.name] ?? each.name },
    { key: "kind", title: "Kind", cell: (each) => (each.scripted ? "scripted" : "trained") },
    { key: "bar", title: "Beside the best", cell: (each) => <span className="league-bars"><span className="league-bar" style={{ width: `${Math.max(0, (100 * each.net_profit_mean) / most)}%` }} /></span> },
    { key: "profit", title: "Profit, mean", numeric: true, cell: (each) => shortNumber(each.net_profit_mean) },
    { key: "interval", title: "95 %", numeric: true, cell: (each) => each.net_profit_interval.map(shortNumber).join(" to ") },
    { key: "survival", title: "Survival", numeric: true, cell: (each) => percent(each.survival_rate) },
    { key: "return", title: "Return", numeric: true, cell: (each) => shortNumber(each.return_mean) },
  ];
  return (
    <Panel title="Who earns what" flush>
      <Table caption="Players by mean profit an episode" columns={columns} rows={ranking} rowKey={(each) => each.name} />
    </Panel>
  );
}
