import type { ReactNode } from "react";

export type Column<Row> = {
  key: string;
  title: ReactNode;
  cell: (row: Row) => ReactNode;
  numeric?: boolean;
  sortable?: boolean;
};

type Props<Row> = {
  caption: string; // read out; shown only when showCaption
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row, index: number) => string | number;
  showCaption?: boolean;
  sort?: { key: string; descending: boolean };
  onSort?: (key: string) => void;
};

/** Scrolls sideways within itself when narrow, so that the page never does. */
export function Table<Row>({ caption, columns, rows, rowKey, showCaption, sort, onSort }: Props<Row>) {
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label={caption}>
      <table className="table">
        <caption className={showCaption ? undefined : "unseen"}>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.key} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={rowKey(row, index)}>
              {columns.map((column) => (
                <td key={column.key} className={column.numeric ? "numbers" : undefined}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type HeadProps<Row> = Pick<Props<Row>, "sort" | "onSort"> & { column: Column<Row> };

function Head<Row>({ column, sort, onSort }: HeadProps<Row>) {
  const sorted = sort?.key === column.key ? (sort.descending ? "descending" : "ascending") : undefined;
  const sorting = column.sortable && onSort;
  return (
    <th scope="col" className={column.numeric ? "numbers" : undefined} aria-sort={sorted}>
      {sorting ? (
        <button type="button" className="table-sort" onClick={() => onSort(column.key)}>
          {column.title}
          <span aria-hidden="true">{sorted === "descending" ? " ↓" : sorted ? " ↑" : ""}</span>
        </button>
      ) : (
        column.title
      )}
    </th>
  );
}
