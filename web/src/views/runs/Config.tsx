// The configuration of a run, searchable, and its differences to another run.
import { useMemo, useState } from "react";
import { getRun, listRuns, type RunDetail } from "../../api/analytics";
import { useResource } from "../../api/useResource";
import { Details, Empty, ErrorNote, Loading, Panel, Select, Table, type Column } from "../../parts/ui";
import { differences, groups, search, settingsOf, shown, type Difference, type Setting } from "./configTree";

export function Config({ run }: { run: RunDetail }) {
  const [words, setWords] = useState("");
  const settings = useMemo(() => settingsOf(run.config), [run.config]);
  const found = useMemo(() => search(settings, words), [settings, words]);
  return (
    <div className="stack">
      <Diff run={run} settings={settings} />
      <Panel
        title="Settings"
        tools={
          <div className="field">
            <label htmlFor="config-words" className="unseen">
              Search the settings
            </label>
            <input id="config-words" className="input" type="search" placeholder="search, e.g. learning rate" value={words} onChange={(event) => setWords(event.target.value)} />
          </div>
        }
      >
        {settings.length === 0 && <Empty title="This run says nothing about its settings" hint="Its config.json is empty." />}
        {settings.length > 0 && found.length === 0 && <Empty title="No setting holds those words" hint="Try fewer of them." />}
        {[...groups(found)].map(([name, inside]) => (
          <Details key={`${name} ${words}`} summary={<strong>{name || "general"}</strong>} open={words !== "" || name === "" || groups(found).size <= 12}>
            <List settings={inside} group={name} />
          </Details>
        ))}
      </Panel>
    </div>
  );
}

function List({ settings, group }: { settings: readonly Setting[]; group: string }) {
  return (
    <dl className="metrics">
      {settings.map(({ path, value }) => (
        <div key={path}>
          <dt title={path}>{group ? path.slice(group.length + 1) : path}</dt>
          <dd className="numbers">{shown(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Diff({ run, settings }: { run: RunDetail; settings: readonly Setting[] }) {
  const [other, setOther] = useState("");
  const catalogue = useResource("runs", (signal) => listRuns(500, signal));
  const runs = (catalogue.data?.runs ?? []).filter((each) => each.run_id !== run.run_id);
  const options = [{ value: "", label: runs.length ? "choose a run…" : "there is no other run" }, ...runs.map((each) => ({ value: each.run_id, label: each.run_id, group: each.game }))];
  return (
    <Panel title="Compared with another run" tools={<Select label="Other run" hideLabel value={other} options={options} disabled={runs.length === 0} onChange={setOther} />}>
      {other ? <DiffTable key={other} left={{ name: run.run_id, settings }} otherId={other} /> : <p className="soft">Choose a run to see only what is set differently.</p>}
    </Panel>
  );
}

function DiffTable({ left, otherId }: { left: { name: string; settings: readonly Setting[] }; otherId: string }) {
  const { data, error, loading, reload } = useResource(otherId, (signal) => getRun(otherId, signal));
  const found = useMemo(() => (data ? differences(left.settings, settingsOf(data.config)) : []), [data, left.settings]);
  if (loading) return <Loading what="the other run" />;
  if (!data) return <ErrorNote error={error} onRetry={reload} />;
  if (found.length === 0) return <p>Both runs were asked for exactly the same.</p>;
  const side = (value: string | null) => (value === null ? <span className="faint">not set</span> : value);
  const columns: Column<Difference>[] = [
    { key: "path", title: "Setting", cell: (each) => <code>{each.path}</code> },
    { key: "left", title: left.name, numeric: true, cell: (each) => side(each.left) },
    { key: "right", title: otherId, numeric: true, cell: (each) => side(each.right) },
  ];
  return <Table caption={found.length === 1 ? "1 setting differs" : `${found.length} settings differ`} showCaption columns={columns} rows={found} rowKey={(each) => each.path} />;
}
