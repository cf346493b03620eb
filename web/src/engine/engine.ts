// The engine in this page: the same C as the native library, loaded once. What a game is made of comes from its own
// description; nothing here knows a game.
import { EngineError, loadEngine as start, type Config, type Engine, type GameSpec, type World } from "../../../engine/wasm/sandlot.mjs";

export { EngineError };
export type { Config, Engine, GameSpec, World };

const ADDRESS = `${import.meta.env.BASE_URL}sandlot.wasm`;
const TIMEOUT_MS = 20_000;
let loading: Promise<Engine> | null = null;

/** The engine; the first call fetches and starts it, all later ones share it. */
export function loadEngine(): Promise<Engine> {
  loading ??= fetchEngine().catch((problem: unknown) => {
    loading = null; // the next call tries again
    throw problem;
  });
  return loading;
}

/** For programs that have the module's bytes at hand (tests, tools). */
export function useEngine(bytes: BufferSource): Promise<Engine> {
  loading = start(bytes);
  return loading;
}

async function fetchEngine(): Promise<Engine> {
  const reply = await fetch(ADDRESS, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => null);
  if (!reply?.ok)
    throw new EngineError(`The engine could not be fetched (${ADDRESS}, ${reply?.status ?? "no answer"}). Reload the page.`);
  return start(reply);
}

/** One world of a game, from its own settings; it stays ended when its episode ends. */
export function createWorld(engine: Engine, game: string, config: Config = {}): World {
  const { profile, ...knobs } = config;
  const profileOption = typeof profile === "string" ? { profile } : {};
  return engine.create(game, { worlds: 1, autoreset: false, config: knobs, ...profileOption });
}
