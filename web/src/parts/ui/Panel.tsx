import { useId, type ReactNode } from "react";

type Props = {
  title?: ReactNode;
  tools?: ReactNode; // buttons at the right of the title
  children: ReactNode;
  level?: 2 | 3;
  flush?: boolean; // the content reaches the edges: pictures, tables
};

export function Panel({ title, tools, children, level = 2, flush = false }: Props) {
  const id = useId();
  const Heading = `h${level}` as "h2" | "h3";
  return (
    <section className={`panel${flush ? " panel-flush" : ""}`} aria-labelledby={title ? id : undefined}>
      {(title || tools) && (
        <header className="panel-head">
          {title && <Heading id={id}>{title}</Heading>}
          {tools && <div className="panel-tools">{tools}</div>}
        </header>
      )}
      <div className="panel-body">{children}</div>
    </section>
  );
}

/** Content that most readers do not need: closed until asked for. */
export function Details({ summary, children, open }: { summary: ReactNode; children: ReactNode; open?: boolean }) {
  return (
    <details className="details" open={open}>
      <summary>{summary}</summary>
      <div className="details-body">{children}</div>
    </details>
  );
}
