// A running match as moments to draw: interpolated between steps, with the trail of each agent.
import type { PlaySession } from "../../../engine/session";
import type { Frame } from "../../../parts/player/source";
import type { Moment } from "../../../parts/tag/scene";
import { between, readState, Seen, type TagState, type Vector } from "../../../parts/tag/state";
import { TRAIL_STEPS } from "../../../parts/tag/trail";

const read = new WeakMap<Frame, TagState>();

/** A frame's state, read once. */
export function stateOf(frame: Frame): TagState {
  let state = read.get(frame);
  if (!state) read.set(frame, (state = readState(frame.render)));
  return state;
}

export class Live {
  #past: TagState[] = [];
  #endedAt: number | null = null;
  #drawn: { blend: number; steps: number; state: TagState } | null = null;
  readonly stop: () => void;

  constructor(readonly session: PlaySession) {
    this.#keep();
    this.stop = session.subscribe(() => this.#keep());
  }

  #keep(): void {
    this.#past = [...this.#past, stateOf(this.session.frame)].slice(-TRAIL_STEPS);
  }

  moment(): Moment {
    const { session } = this;
    const now = performance.now();
    this.#endedAt = session.over ? (this.#endedAt ?? now) : null;
    const state = this.#state();
    const trails = state.agents.map((agent, i): Vector[] => [
      ...this.#past.slice(0, -1).flatMap((each) => (each.agents[i] ? [each.agents[i].place] : [])),
      agent.place,
    ]);
    return { state, trails, sinceWin: this.#endedAt === null ? -1 : (now - this.#endedAt) / 1000, unseen: this.#unseen(state) };
  }

  /** While a person plays, opponents out of sight get no label, light or trail: both know only what their eyes see. */
  #unseen(state: TagState): ReadonlySet<number> {
    const { humans, over } = this.session;
    const [human] = humans;
    if (human === undefined || over || state.agents[human]?.rays.some((ray) => ray.seen === Seen.Agent)) return new Set();
    return new Set([...state.agents.keys()].filter((agent) => !humans.includes(agent)));
  }

  /** The same object as long as nothing moves: the picture then rests. */
  #state(): TagState {
    const { steps, blend } = this.session;
    if (this.#drawn?.steps === steps && this.#drawn.blend === blend) return this.#drawn.state;
    const state = this.#between(blend);
    this.#drawn = { steps, blend, state };
    return state;
  }

  #between(blend: number): TagState {
    const { session } = this;
    const now = stateOf(session.frame);
    if (session.over || session.steps === 0) return now;
    return between(stateOf(session.previous), now, blend, session.secondsPerStep ?? 0.05);
  }
}
