// The end of a game: reason, score, scores of others on the same seed, next steps.
import { ENDINGS } from "../../../parts/prospector/events";
import type { Belt } from "../../../parts/prospector/belt";
import { count, credits, reward } from "../../../parts/prospector/words";
import { Button, Dialog, Table, type Column } from "../../../parts/ui";
import type { View } from "./game";
import { ranked, type Score } from "./scores";
import type { Others } from "./useOthers";

type Props = {
  view: View;
  open: boolean;
  others: Others;
  onClose: () => void;
  onAgain: () => void;
  onNew: () => void;
  saved: boolean;
  onSave: () => void;
};

export function EndScreen({ view, open, others, onClose, onAgain, onNew, saved, onSave }: Props) {
  const { belt } = view;
  const you: Score = { name: "You", kind: "you", profit: belt.netProfit, total: view.total, ending: belt.ending, ticks: belt.ticks };
  const rows = ranked([you, ...others.scores]);
  const place = rows.indexOf(you) + 1;
  return (
    <Dialog
      open={open}
      title={title(belt)}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onSave} disabled={saved}>
            {saved ? "Saved" : "Save as replay"}
          </Button>
          <Button onClick={onAgain}>Same belt again</Button>
          <Button kind="primary" onClick={onNew}>
            Play another belt
          </Button>
        </>
      }
    >
      <div className="pr-end" data-part="end" data-ending={belt.ending}>
        <p>{ENDINGS[belt.ending]}</p>
        <p className="pr-end-score">
          <span className="numbers" data-end="profit">
            {credits(belt.netProfit)}
          </span>{" "}
          <span className="soft">
            net profit in {count(belt.ticks)} ticks and {count(view.step)} steps{belt.cargoValue >= 1 && `; ${credits(belt.cargoValue)} of cargo unsold`}
          </span>
        </p>
        {rows.length > 1 && (
          <p className="soft">
            Place {place} of {rows.length} on this belt.
          </p>
        )}
        <Table caption="Scores on the same seed" columns={COLUMNS} rows={rows} rowKey={(row) => row.name} />
        {others.notes.map((note) => (
          <p key={note} className="small soft">
            {note}
          </p>
        ))}
      </div>
    </Dialog>
  );
}

const COLUMNS: readonly Column<Score>[] = [
  { key: "name", title: "Player", cell: (row) => <strong data-score={row.name}>{row.kind === "scripted" ? row.name.replaceAll("_", " ") : row.name}</strong> },
  { key: "profit", title: "Net profit", numeric: true, cell: (row) => credits(row.profit) },
  { key: "total", title: "Return", numeric: true, cell: (row) => reward(row.total) },
  { key: "ticks", title: "Ticks", numeric: true, cell: (row) => count(row.ticks) },
  { key: "ending", title: "Ending", cell: (row) => row.ending.replaceAll("_", " ") },
];

function title(belt: Belt): string {
  const lost = belt.ending === "destroyed" || belt.ending === "stranded";
  return lost ? "The trip is over" : belt.netProfit > 0 ? "Well flown" : "The end";
}
