import { useResource } from "../../api/useResource";
import { findReplays, type ReplayEntry } from "../../api/watch";
import { Button, Select } from "../../parts/ui";

type Props = { run: string; replay: string; other: string | null; onOther: (replay: string | null) => void };

/** Chooses a second replay of the run, of another start: by default one of the earliest window. The same start is on Learn. */
export function ComparePicker({ run, replay, other, onOther }: Props) {
  const found = useResource(run, (signal) => findReplays(run, {}, signal));
  const entries = found.data?.replays ?? [];
  const earliest = entries.findLast((entry) => entry.replay_id !== replay && !entry.tags.every((tag) => tag.startsWith("milestone"))) ?? entries.findLast((entry) => entry.replay_id !== replay);
  if (!other)
    return (
      <Button disabled={!earliest} onClick={() => earliest && onOther(earliest.replay_id)} title="Two matches of this run side by side, of different starts">
        Beside another match
      </Button>
    );
  return (
    <div className="row">
      <Select label="The other match" hideLabel value={other} options={entries.map((entry) => ({ value: entry.replay_id, label: nameOf(entry) }))} onChange={onOther} />
      <Button onClick={() => onOther(null)}>Only one</Button>
    </div>
  );
}

function nameOf(entry: ReplayEntry): string {
  return `Window ${entry.window_id} · ${entry.steps} steps · ${entry.replay_id.slice(-4)}`;
}
