// The watched replay, from the address: /?run=…&replay=…&with=…#t=…, or /?file=… for a file that was opened in this tab
import { useCallback, useMemo } from "react";
import { useLocation, useNavigate } from "react-router";
import type { Way } from "../../parts/player/open";

export type Selection = {
  run: string | null; // null: the newest
  replay: string | null;
  other: string | null; // the second replay, "before"
  tick: number | null; // the moment that a link points to
  way: Way;
  file: string | null; // instead of a run's replay
};

export function useSelection(): [Selection, (change: Partial<Selection>) => void] {
  const { search, hash } = useLocation();
  const navigate = useNavigate();
  const selection = useMemo(() => read(search, hash), [search, hash]);
  const choose = useCallback((change: Partial<Selection>) => void navigate(write({ ...selection, file: null, tick: null, ...change })), [navigate, selection]);
  return [selection, choose];
}

export function read(search: string, hash: string): Selection {
  const asked = new URLSearchParams(search);
  const tick = /^#t=(\d{1,9})$/.exec(hash)?.[1];
  const way = asked.get("frames");
  return {
    run: asked.get("run"),
    replay: asked.get("replay"),
    other: asked.get("with"),
    tick: tick === undefined ? null : Number(tick),
    way: way === "http" || way === "socket" ? way : "engine",
    file: asked.get("file"),
  };
}

export function write({ run, replay, other, tick, way, file }: Selection): string {
  const parameters = new URLSearchParams();
  if (run) parameters.set("run", run);
  if (replay) parameters.set("replay", replay);
  if (other) parameters.set("with", other);
  if (way !== "engine") parameters.set("frames", way);
  if (file) parameters.set("file", file);
  return `/${parameters.size ? `?${parameters}` : ""}${tick === null ? "" : `#t=${tick}`}`;
}
