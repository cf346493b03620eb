import { useEffect, useRef } from "react";
import { useResource, type Resource } from "../../api/useResource";
import { getNewest, type Newest } from "../../api/watch";
import { toast } from "../../parts/ui";

const POLL_MS = 20_000;

/** Polls for the newest run and replay; a new replay is announced and does not interrupt playback. */
export function useNewest(onWatch: (runId: string, replayId: string) => void): Resource<Newest> {
  const newest = useResource("newest", getNewest, { pollMs: POLL_MS });
  const seen = useRef<string | null>(null);
  const watch = useRef(onWatch);
  useEffect(() => {
    watch.current = onWatch;
  });
  const replay = newest.data?.replay;
  useEffect(() => {
    if (!replay) return;
    const id = `${replay.run_id}/${replay.replay_id}`;
    if (seen.current !== null && seen.current !== id)
      toast(`New replay of window ${replay.window_id}`, { label: "Watch", run: () => watch.current(replay.run_id, replay.replay_id) });
    seen.current = id;
  }, [replay]);
  return newest;
}
