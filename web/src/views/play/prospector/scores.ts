// Scores of others on the same seed: bots in this page, the newest policy from the server.
import { getJson } from "../../../api/client";
import type { components } from "../../../api/schema";
import { playOut } from "../../../engine/session";
import { GAME, PILOT } from "./game";

export type Score = {
  name: string;
  kind: "you" | "scripted" | "policy";
  profit: number; // credits
  total: number; // return
  ending: string;
  ticks: number;
};

/** A scripted player's whole episode on the same seed and time budget. */
export async function botScore(name: string, seed: bigint, timeMax: number): Promise<Score> {
  const played = await playOut({ game: GAME, seed, config: { time_max: timeMax }, players: { [PILOT]: { kind: "bot", name } } });
  const score = fromEpisode(name, "scripted", played.episode);
  played.close();
  return score;
}

/** The newest policy's scores on this seed and time budget; empty if no run fits. */
export async function policyScores(seed: bigint, timeMax: number, signal: AbortSignal): Promise<Score[]> {
  const query = { seed: String(seed), set: `time_max=${timeMax}`, bots: false };
  const { scores } = await getJson<components["schemas"]["ScoreList"]>(`/api/games/${GAME}/scores`, query, signal);
  return scores.filter((score) => score.finished).map((score) => fromEpisode(score.name, "policy", score.episode));
}

export function fromEpisode(name: string, kind: Score["kind"], episode: Readonly<Record<string, unknown>>): Score {
  const number = (key: string) => (typeof episode[key] === "number" ? episode[key] : 0);
  return { name, kind, profit: number("net_profit"), total: number("return"), ending: String(episode.ending ?? ""), ticks: number("ticks") };
}

/** Best first; ties keep their order. */
export function ranked(scores: readonly Score[]): Score[] {
  return [...scores].sort((a, b) => b.profit - a.profit);
}
