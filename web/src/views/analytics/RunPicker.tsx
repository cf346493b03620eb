// Which run, and which others in the same axes.
import type { RunSummary } from "../../api/analytics";
import { Button, icons, Select } from "../../parts/ui";
import { shortNumber } from "../../parts/chart";
import { shortRunName } from "./align";
import { MOST_COMPARED } from "./index";

type Props = {
  runs: readonly RunSummary[];
  run: RunSummary | undefined;
  compared: readonly RunSummary[];
  onRun: (runId: string) => void;
  onCompared: (runIds: string[]) => void;
};

export function RunPicker({ runs, run, compared, onRun, onCompared }: Props) {
  const ids = compared.map((each) => each.run_id);
  const free = runs.filter((each) => each !== run && !ids.includes(each.run_id));
  const add = [{ value: "", label: free.length ? "add a run…" : "no other run" }, ...free.map(optionOf)];
  return (
    <div className="row analytics-picker push">
      <Select
        label="Run"
        value={run?.run_id ?? ""}
        options={[...(run ? [] : [{ value: "", label: "choose a run" }]), ...runs.map(optionOf)]}
        onChange={onRun}
      />
      <Select
        label="Compare with"
        value=""
        options={add}
        disabled={free.length === 0 || ids.length >= MOST_COMPARED - 1}
        onChange={(id) => id && onCompared([...ids, id])}
      />
      {compared.map((each) => (
        <Button key={each.run_id} icon={icons.cross} label={`Stop comparing with ${each.run_id}`} onClick={() => onCompared(ids.filter((id) => id !== each.run_id))}>
          {each.game} {shortRunName(each.run_id)}
        </Button>
      ))}
    </div>
  );
}

function optionOf(run: RunSummary) {
  const name = `${run.game} ${shortRunName(run.run_id)} · ${shortNumber(run.env_steps_total)} steps${run.status === "running" ? " · training" : ""}`;
  return { value: run.run_id, label: name, group: run.game };
}
