// A running session as moments to draw: interpolated between steps, with the last steps for trails.
import type { PlaySession } from "../../engine/session";
import type { Frame } from "../../parts/player/source";
import type { Moment } from "../../parts/three/scene";
import type { Reader } from "../../parts/three/useMoment";

export class Live<S> {
  #past: S[] = [];
  #endedAt: number | null = null;
  #drawn: { blend: number; steps: number; state: S } | null = null;
  readonly #read = new WeakMap<Frame, { state: S }>();
  readonly stop: () => void;

  constructor(
    readonly session: PlaySession,
    private readonly reader: Reader<S>,
  ) {
    this.#keep();
    this.stop = session.subscribe(() => this.#keep());
  }

  #keep(): void {
    this.#past = [...this.#past, this.now].slice(-this.reader.pastSteps);
  }

  /** The state after the last step. */
  get now(): S {
    return this.#stateOf(this.session.frame);
  }

  /** A frame's state, read once. */
  #stateOf(frame: Frame): S {
    const kept = this.#read.get(frame);
    if (kept) return kept.state;
    const state = this.reader.read(frame);
    this.#read.set(frame, { state });
    return state;
  }

  moment(): Moment<S> {
    const { session } = this;
    const now = performance.now();
    this.#endedAt = session.over ? (this.#endedAt ?? now) : null;
    return { state: this.#state(), past: this.#past.slice(0, -1), sinceEnd: this.#endedAt === null ? -1 : (now - this.#endedAt) / 1000 };
  }

  /** The same object while nothing moves, so that nothing is redrawn. */
  #state(): S {
    const { steps, blend } = this.session;
    if (this.#drawn?.steps === steps && this.#drawn.blend === blend) return this.#drawn.state;
    const state = this.#between(blend);
    this.#drawn = { steps, blend, state };
    return state;
  }

  #between(blend: number): S {
    const { session } = this;
    if (session.over || session.steps === 0) return this.now;
    return this.reader.between(this.#stateOf(session.previous), this.now, blend, session.secondsPerStep ?? 0.05);
  }
}
