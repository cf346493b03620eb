// Scores of others, computed after the game: bots in this page, the newest policy on the server.
import { useEffect, useState } from "react";
import { sentence } from "../../../api/client";
import type { Game } from "./game";
import { botScore, policyScores, type Score } from "./scores";

export type Others = { scores: readonly Score[]; notes: readonly string[] };

const NOBODY: Others = { scores: [], notes: ["The scripted players are flying the same belt…"] };
const DULL = ["do_nothing", "random_legal"]; // no opponents for anybody

export function useOthers(game: Game | null, ended: boolean): Others {
  const [others, setOthers] = useState<Others>(NOBODY);
  useEffect(() => {
    setOthers(NOBODY);
    if (!game || !ended) return;
    const stop = new AbortController();
    void askAll(game, stop.signal, setOthers);
    return () => stop.abort();
  }, [game, ended]);
  return others;
}

async function askAll({ spec, seed, timeMax }: Game, signal: AbortSignal, show: (others: Others) => void): Promise<void> {
  const scores: Score[] = [];
  for (const { name } of spec.bots) {
    if (DULL.includes(name)) continue;
    scores.push(await botScore(name, seed, timeMax));
    if (signal.aborted) return;
    show({ scores: [...scores], notes: ["The newest trained policy is flying the same belt…"] });
  }
  const { found, note } = await askPolicy(seed, timeMax, signal);
  if (!signal.aborted) show({ scores: [...scores, ...found], notes: note ? [note] : [] });
}

async function askPolicy(seed: bigint, timeMax: number, signal: AbortSignal): Promise<{ found: Score[]; note: string | null }> {
  try {
    const found = await policyScores(seed, timeMax, signal);
    return { found, note: found.length ? null : "No trained policy fits these rules yet: train one with `sandlot train prospector`." };
  } catch (error) {
    return { found: [], note: `No trained policy could be asked. ${sentence(error)}` };
  }
}
