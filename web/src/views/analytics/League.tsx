// The league: a cross-play heat map, or a ranking for a single-agent game.
import { getLeague, type Headline, type RankedPlayer, type RunSummary, type Standing } from "../../api/analytics";
import { useResource } from "../../api/useResource";
import { percent, shortNumber } from "../../parts/chart";
import { roleColour } from "../../parts/player/shownByGames";
import { Empty, ErrorNote, Loading, Note, Panel, Table, type Column } from "../../parts/ui";
import { heatMapOf, shade, type HeatMap } from "./leagueReport";

const POLL_MS = 20_000;

export function LeagueTab({ run }: { run: RunSummary }) {
  const { data, error, loading, reload } = useResource(run.run_id, (signal) => getLeague(run.run_id, signal), { pollMs: POLL_MS });
  if (loading) return <Loading what="the league" />;
  if (!data) return <ErrorNote error={error} title="The league cannot be read." onRetry={reload} />;
  if (!data.report) return <Empty title="No league was played yet" hint={data.hint ?? `Play one with sandlot league ${run.game}.`} />;
  const league = data.report;
  const map = heatMapOf(league);
  return (
    <div className="stack">
      {!data.takes_part && <Note>This run is not in the newest league of {run.game}; it is shown all the same.</Note>}
      <p className="small soft">
        {league.episodes} held-out episodes {map ? "per pair" : "per player"}, the same seeds for all. Played {data.updated_at?.slice(0, 16).replace("T", " ")} UTC.
      </p>
      {map && (
        <Panel title={`Who beats whom: ${map.rowRole} wins in %`}>
          <Heat map={map} />
        </Panel>
      )}
      {league.standings && <Standings standings={league.standings} labels={league.labels} />}
      {league.ranking && league.headline && <Ranking ranking={league.ranking} headline={league.headline} labels={league.labels} />}
    </div>
  );
}

function Heat({ map }: { map: HeatMap }) {
  const colour = (share: number) => {
    const { side, percent: strength } = shade(share);
    const role = side === "row" ? map.rowRole : map.columnRole;
    const token = roleColour(role) ?? (side === "row" ? "series-1" : "series-2");
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

function Ranking({ ranking, headline, labels }: { ranking: readonly RankedPlayer[]; headline: Headline; labels: Record<string, string> }) {
  const most = Math.max(Number.MIN_VALUE, ...ranking.map((each) => each.value));
  const shown = headline.kind === "flag" ? percent : shortNumber;
  const title = headline.name.replaceAll("_", " ");
  const columns: Column<RankedPlayer>[] = [
    { key: "name", title: "Player", cell: (each) => labels[each.name] ?? each.name },
    { key: "kind", title: "Kind", cell: (each) => (each.scripted ? "scripted" : "trained") },
    { key: "bar", title: "Share of the best", cell: (each) => <span className="league-bars"><span className="league-bar" style={{ width: `${Math.max(0, (100 * each.value) / most)}%` }} /></span> },
    { key: "value", title: `${title}, mean`, numeric: true, cell: (each) => shown(each.value) },
    { key: "interval", title: "95 %", numeric: true, cell: (each) => each.value_interval.map(shown).join(" to ") },
  ];
  return (
    <Panel title={`Ranking by ${title}`} flush>
      <Table caption={`Players by mean ${title} per episode`} columns={columns} rows={ranking} rowKey={(each) => each.name} />
    </Panel>
  );
}
