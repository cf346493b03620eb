// State of a game played by hand, outside React; the page subscribes.
import { PlaySession } from "../../../engine/session";
import { readBelt, type Belt } from "../../../parts/prospector/belt";
import { readEvents, type GameEvent } from "../../../parts/prospector/events";
import type { LoggedEvent } from "../../../parts/prospector/EventLog";
import { asProspector, type ProspectorSpec } from "../../../parts/prospector/spec";
import { phrase } from "../../../parts/prospector/words";
import { lessonAfter, type Lesson } from "./lessons";

export type Notice = { id: number; text: string };

export type View = {
  belt: Belt;
  events: readonly GameEvent[]; // of the last step
  log: readonly LoggedEvent[];
  prices: readonly (readonly number[])[]; // the last moments' prices, oldest first
  step: number;
  paid: number; // the last reward
  total: number; // of all rewards so far
  ended: boolean;
  last: number | null; // the last action that was possible, for repeating
  lesson: Lesson;
  notice: Notice | null; // about an action that was refused
};

export const GAME = "prospector";
export const PILOT = "pilot";
const LONGEST_LOG = 2000;
const PRICES_KEPT = 80;

export type Outcome = "stepped" | "refused" | "over";

export class Game {
  readonly spec: ProspectorSpec;
  #view: View;
  #listeners = new Set<() => void>();
  #notices = 0;
  #busy = false;

  /** Opens a game in the page's own engine; no server takes part. */
  static async open(seed: bigint, timeMax: number, lesson: Lesson): Promise<Game> {
    const session = await PlaySession.start({ game: GAME, config: { time_max: timeMax }, seed, human: PILOT });
    return new Game(session, timeMax, lesson);
  }

  private constructor(
    private readonly session: PlaySession,
    readonly timeMax: number, // ticks
    lesson: Lesson,
  ) {
    this.spec = asProspector(session.spec);
    const belt = readBelt(this.spec, session.frame.render);
    this.#view = {
      belt,
      events: [],
      log: [],
      prices: [belt.goods.map((good) => good.price)],
      step: 0,
      paid: 0,
      total: 0,
      ended: session.over,
      last: null,
      lesson,
      notice: null,
    };
  }

  get seed(): bigint {
    return this.session.seed;
  }

  get view(): View {
    return this.#view;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  snapshot = (): View => this.#view;

  /** The sentence about why an action is not possible now, or null when it is. */
  reasonAgainst(action: number): string | null {
    const reason = this.#view.belt.reasons[action] ?? 0;
    return reason === 0 ? null : (this.spec.reasons[reason]?.text ?? "It is not possible now.");
  }

  /** One step; an illegal action changes nothing, and the page says why. */
  async act(action: number): Promise<Outcome> {
    if (this.#view.ended || this.#busy) return "over";
    const against = this.reasonAgainst(action);
    if (against) {
      this.#refuse(action, against);
      return "refused";
    }
    this.#busy = true;
    try {
      await this.session.play(action);
      this.#updateAfter(action);
    } finally {
      this.#busy = false;
    }
    return "stepped";
  }

  /** The game so far as a replay file. */
  save(): Promise<{ name: string; bytes: Uint8Array }> {
    return this.session.save();
  }

  close(): void {
    this.#view = { ...this.#view, ended: true }; // a closed world cannot be stepped
    this.session.close();
  }

  setLesson(lesson: Lesson): void {
    this.#show({ lesson });
  }

  #refuse(action: number, against: string): void {
    const name = this.spec.actions[action]?.name ?? "";
    this.#show({ notice: { id: ++this.#notices, text: `${phrase(name).label}: ${against}` } });
  }

  #updateAfter(action: number): void {
    const { frame } = this.session;
    const belt = readBelt(this.spec, frame.render);
    const events = readEvents(frame.events);
    const paid = frame.rewards[0] ?? 0;
    this.#show({
      belt,
      events,
      log: [...this.#view.log, ...events.map((event) => ({ ...event, step: frame.step, tick: frame.tick }))].slice(-LONGEST_LOG),
      prices: [...this.#view.prices, belt.goods.map((good) => good.price)].slice(-PRICES_KEPT),
      step: frame.step,
      paid,
      total: this.#view.total + paid,
      ended: this.session.over,
      last: action,
      lesson: lessonAfter(this.#view.lesson, belt, events),
      notice: null,
    });
  }

  #show(change: Partial<View>): void {
    this.#view = { ...this.#view, ...change };
    for (const listener of this.#listeners) listener();
  }
}
