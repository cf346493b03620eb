// What a game says in src/parts/GAME/shown.ts about how the pages show it.

/** A chart of known columns: column, name of the line, colour. pilotOnly: games of several roles have it by role. */
export type Known = { title: string; unit: string; percent?: boolean; pilotOnly?: boolean; columns: readonly (readonly [string, string, string?])[] };
export type KnownGroup = { title: string; note: string; charts: readonly Known[] };

export type Shown = {
  roles?: readonly string[]; // with a colour of their own: the tokens --ROLE and --ROLE-wash
  outcome: readonly Known[];
  groups: readonly KnownGroup[];
  headlines: readonly Known[];
  logged: readonly string[]; // metrics that the page of Weights & Biases shows
  summary: readonly string[]; // window metrics, in the order of interest
  loudEvents: readonly string[]; // that a timeline makes stand out
  evaluated?: { column: string; title: string; unit: string }; // the evaluations' column that holds their value
  survival?: { column: string; title: string; line: string };
  replayMeasure?: { name: string; label: string }; // of a replay, beside its return
};

export const one = (column: string, title: string, unit: string, percent = false): Known => ({ title, unit, percent, columns: [[column, title]] });
