// A game in the page's own engine: no server is asked to play.
import { asProspector } from "../../../parts/prospector/spec";
import { createWorld, loadEngine } from "../../../engine/engine";
import type { Look, Session } from "./game";
import { fromEpisode, type Score } from "./scores";

export async function openSession(seed: bigint, timeMax: number): Promise<Session> {
  const world = createWorld(await loadEngine(), "prospector", { time_max: timeMax });
  world.reset([seed]);
  let episode: Look["episode"] = null;
  return {
    spec: asProspector(world.spec),
    seed,
    timeMax,
    step(action) {
      world.actions[0] = action;
      world.step();
      if (world.terminated[0] || world.truncated[0]) episode = world.finished()[0] ?? {};
    },
    look: () => ({ render: world.render(0), events: world.events(0), reward: world.rewards[0] ?? 0, ended: episode !== null, episode }),
    replay: () => Promise.reject(new Error("Replays cannot be saved yet.")),
    close: () => world.close(),
  };
}

/** A scripted player's whole episode, on a belt of the same seed. */
export async function playBot(name: string, seed: bigint, timeMax: number): Promise<Score> {
  const world = createWorld(await loadEngine(), "prospector", { time_max: timeMax });
  const bot = world.bot(name);
  try {
    world.reset([seed]);
    while (!world.terminated[0] && !world.truncated[0]) {
      bot.act();
      world.step();
    }
    const sums = world.finished()[0] ?? {};
    const endings = world.spec.episode.find((field) => field.name === "ending")?.labels ?? [];
    return fromEpisode(name, "scripted", { ...sums, ending: endings[Number((sums as Record<string, unknown>).ending)] });
  } finally {
    bot.close();
    world.close();
  }
}
