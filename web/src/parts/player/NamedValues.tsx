import { Table } from "../ui";
import { shortNumber } from "../chart";
import type { GameViewProps } from "./games";

/** The picture of a game that has none: everything the engine says about it, by name. */
export function NamedValues({ source, frame }: GameViewProps) {
  const rows = [...source.spec.render, ...source.spec.info]
    .map((field) => ({ field, value: frame.render[field.name] ?? frame.info[field.name] }))
    .filter((row) => row.value !== undefined);
  return (
    <Table
      caption={`Values of ${source.spec.title}`}
      rows={rows}
      rowKey={(row) => row.field.name}
      columns={[
        { key: "name", title: "name", cell: (row) => row.field.name },
        { key: "value", title: "value", numeric: true, cell: (row) => shown(row.value) },
        { key: "unit", title: "unit", cell: (row) => row.field.unit },
        { key: "text", title: "means", cell: (row) => row.field.text },
      ]}
    />
  );
}

function shown(value: number | readonly number[] | undefined): string {
  if (value === undefined) return "";
  return typeof value === "number" ? shortNumber(value) : value.map(shortNumber).join(" ");
}
