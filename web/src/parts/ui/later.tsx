import { useEffect, useState, type ComponentType } from "react";
import { Loading } from "./states";

export type LaterComponent<Props> = ComponentType<Props> & { preload: () => void };

/**
 * A component whose file is fetched when it is first shown, or by `preload`. Not React's lazy(): that shows what waits for
 * 300 ms at least, one after the other where such components lie in each other, and a file is often there sooner.
 */
export function later<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>, what: string): LaterComponent<Props> {
  let found: ComponentType<Props> | null = null;
  let asked: Promise<void> | null = null;
  const fetchOnce = () =>
    (asked ??= load().then(
      (file) => void (found = file.default),
      (problem: unknown) => {
        asked = null; // who tries again, asks again
        throw new Error("This part of the site could not be fetched: the server does not answer, or was updated. Start it, then try again; load the page anew if that does not help.", { cause: problem });
      },
    ));
  function Later(props: Props) {
    const [answer, setAnswer] = useState<{ problem?: unknown } | null>(null);
    const missing = found === null;
    useEffect(() => {
      if (!missing) return;
      let left = false;
      const finish = (answer: { problem?: unknown }) => void (left || setAnswer(answer));
      fetchOnce().then(() => finish({}), (problem: unknown) => finish({ problem }));
      return () => void (left = true);
    }, [missing]);
    if (answer && "problem" in answer) throw answer.problem;
    const Found = found;
    return Found ? <Found {...props} /> : <Loading what={what} />;
  }
  return Object.assign(Later, { preload: () => void fetchOnce().catch(() => undefined) }); // who shows it will finish
}
