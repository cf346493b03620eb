// Players to choose from: bots by level, and every checkpoint that the server has.
import { apiUrl } from "../../api/client";
import { listPolicies, listRuns } from "../../api/analytics";
import { listPretrained } from "../../api/learning";
import { botsFor } from "../../engine/bots";
import type { GameSpec } from "../../engine/engine";
import type { SessionOptions } from "../../engine/session";
import type { Option } from "../../parts/ui";

const MOST_RUNS = 12;
export const OPPONENT_LEVELS = ["easy", "medium", "hard"];

export type Player = Option & { setUp: () => Promise<Pick<SessionOptions, "players" | "config">> };

/** Scripted players of a role, the weakest level first. words: what a level means to whoever meets it. */
export function scriptedPlayers(spec: GameSpec, role: string, words: readonly string[] = []): Player[] {
  return botsFor(spec, role).flatMap((bot) =>
    Array.from({ length: bot.levels }, (_, i) => ({
      value: `bot:${bot.name}:${i + 1}`,
      label: [bot.levels > 1 || words.length ? `${bot.name} ${i + 1}` : bot.name, words[i]].filter(Boolean).join(" · "),
      group: "Scripted players",
      setUp: async () => ({ players: { [role]: { kind: "bot" as const, name: bot.name, level: i + 1 } } }),
    })),
  );
}

/** Trained players of that role: the newest and the best of each run first, then every kept checkpoint; last what ships. */
export async function trainedPlayers(game: string, role: string, signal?: AbortSignal): Promise<Player[]> {
  const { runs } = await listRuns(200, signal);
  const mine = runs.filter((run) => run.game === game && run.checkpoints_written > 0).slice(0, MOST_RUNS);
  const [shipped, ...lists] = await Promise.all([shippedPlayers(game, role, signal), ...mine.map((run) => listPolicies(run.run_id, signal).catch(() => null))]);
  const own = lists.flatMap((list) =>
    (list?.policies ?? [])
      .filter((policy) => policy.role === role)
      .map((policy) => ({
        value: policy.url,
        label: `window ${policy.window_id}${policy.newest ? " · newest" : ""}${policy.best ? " · best" : ""}`,
        group: `Run ${list?.run_id ?? ""}`,
        setUp: () => trainedSetUp(policy.url, role),
      })),
  );
  return [...own, ...shipped];
}

/** The trained players that come with Sandlot. */
async function shippedPlayers(game: string, role: string, signal?: AbortSignal): Promise<Player[]> {
  const list = await listPretrained(signal).catch(() => null);
  const policies = list?.games.filter((each) => each.game === game).flatMap((each) => each.policies) ?? [];
  return policies
    .filter((policy) => policy.role === role)
    .map((policy) => ({ value: policy.url, label: `trained ${role}`, group: "Comes with Sandlot", setUp: () => trainedSetUp(policy.url, role) }));
}

/** A policy plays under the settings that it was trained with: its eyes may know a field more. */
async function trainedSetUp(url: string, role: string): Promise<Pick<SessionOptions, "players" | "config">> {
  const { loadPolicy } = await import("../../engine/policy");
  const policy = await loadPolicy(apiUrl(url));
  return { players: { [role]: { kind: "policy", policy } }, config: policy.facts.config as SessionOptions["config"] };
}
