// Opens a replay by the way that was chosen: played again in this page, or as frames of the server.
import { getBytes } from "../../api/client";
import { getReplayFile } from "../../api/watch";
import { openServerSource } from "./serverSource";
import type { Source } from "./source";

export type Way = "engine" | "http" | "socket";

export async function openSource(runId: string, replayId: string, way: Way, signal: AbortSignal): Promise<Source> {
  if (way !== "engine") return openServerSource(runId, replayId, way, "These are frames of the server; this page did not play them again.", signal);
  return openBytes(getReplayFile(runId, replayId, signal), runId, replayId, signal);
}

/** The replay file at an address. runId: of the run whose frames the server may have; null for what ships with Sandlot. */
export function openReplayAt(url: string, runId: string | null, replayId: string, signal: AbortSignal): Promise<Source> {
  return openBytes(getBytes(url, {}, signal), runId, replayId, signal);
}

async function openBytes(asked: Promise<ArrayBuffer>, runId: string | null, replayId: string, signal: AbortSignal): Promise<Source> {
  const [{ openReplay, ReplayRefused }, bytes] = await Promise.all([import("../../engine/replay"), asked]);
  try {
    return await openReplay(new Uint8Array(bytes), replayId);
  } catch (problem) {
    if (runId === null || !(problem instanceof ReplayRefused) || problem.kind !== "other_engine") throw problem;
    // Another engine recorded it; the server may have that one, and else says why not.
    return openServerSource(runId, replayId, "http", `${problem.message} These are frames of the server.`, signal);
  }
}
