// How others fare on the same belt: the scripted players in this page, and the newest trained policy by the server.
import { getJson } from "../../../api/client";

export type Score = {
  name: string;
  kind: "you" | "scripted" | "policy";
  profit: number; // credits
  total: number; // return
  ending: string;
  ticks: number;
};

type ServerScore = {
  name: string;
  scripted: boolean;
  finished: boolean;
  return_total: number | null;
  episode: Record<string, unknown>;
};

/** What the newest policy makes of this seed and time budget. Empty: no run fits them. */
export async function policyScores(seed: bigint, timeMax: number, signal: AbortSignal): Promise<Score[]> {
  const query = { seed: String(seed), set: `time_max=${timeMax}` };
  const { scores } = await getJson<{ scores: ServerScore[] }>("/api/games/prospector/scores", query, signal);
  return scores.filter((score) => !score.scripted && score.finished).map((score) => fromEpisode(score.name, "policy", score.episode));
}

export function fromEpisode(name: string, kind: Score["kind"], episode: Readonly<Record<string, unknown>>): Score {
  const number = (key: string) => (typeof episode[key] === "number" ? episode[key] : 0);
  return { name, kind, profit: number("net_profit"), total: number("return"), ending: String(episode.ending ?? ""), ticks: number("ticks") };
}

/** Best first; who is equal keeps the order. */
export function ranked(scores: readonly Score[]): Score[] {
  return [...scores].sort((a, b) => b.profit - a.profit);
}
