// One game by hand: what the page shows, and what an action does to it. Outside React; the page subscribes.
// It stands on any session that can step and be looked at; session.ts makes one from the engine in this page.
import { readBelt, type Belt, type Block } from "../../../parts/prospector/belt";
import { readEvents, tell, type GameEvent } from "../../../parts/prospector/events";
import type { LoggedEvent } from "../../../parts/prospector/EventLog";
import type { ProspectorSpec } from "../../../parts/prospector/spec";
import { phrase } from "../../../parts/prospector/words";
import { lessonAfter, type Lesson } from "./lessons";

export type Look = {
  render: Block;
  events: readonly unknown[];
  reward: number; // of the last step
  ended: boolean;
  episode: Readonly<Record<string, unknown>> | null; // the game's own sums, once it has ended
};

export interface Session {
  readonly spec: ProspectorSpec;
  readonly seed: bigint;
  readonly timeMax: number; // ticks
  step(action: number): void;
  look(): Look;
  replay(): Promise<{ name: string; bytes: Uint8Array }>;
  close(): void;
}

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
  episode: Look["episode"];
  last: number | null; // the last action that was possible, for repeating
  lesson: Lesson;
  notice: Notice | null; // about an action that was refused
};

const LONGEST_LOG = 2000;
const PRICES_KEPT = 80;

export type Outcome = "stepped" | "refused" | "over";

export class Game {
  #view: View;
  #listeners = new Set<() => void>();
  #notices = 0;

  constructor(
    readonly session: Session,
    lesson: Lesson,
  ) {
    const look = session.look();
    const belt = readBelt(session.spec, look.render);
    this.#view = {
      belt,
      events: [],
      log: [],
      prices: [belt.goods.map((good) => good.price)],
      step: 0,
      paid: 0,
      total: 0,
      ended: look.ended,
      episode: look.episode,
      last: null,
      lesson,
      notice: null,
    };
  }

  get spec(): ProspectorSpec {
    return this.session.spec;
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

  /** One step, unless the rules forbid the action: then nothing moves and the page says why. */
  act(action: number): Outcome {
    if (this.#view.ended) return "over";
    const against = this.reasonAgainst(action);
    if (against) {
      this.#refuse(action, against);
      return "refused";
    }
    this.session.step(action);
    this.#look(action);
    return "stepped";
  }

  setLesson(lesson: Lesson): void {
    this.#show({ lesson });
  }

  #refuse(action: number, against: string): void {
    const name = this.spec.actions[action]?.name ?? "";
    this.#show({ notice: { id: ++this.#notices, text: `${phrase(name).label}: ${against}` } });
  }

  #look(action: number): void {
    const look = this.session.look();
    const belt = readBelt(this.spec, look.render);
    const events = readEvents(look.events);
    const step = this.#view.step + 1;
    const logged = events.map((event) => ({ ...event, step, tick: belt.ticks }));
    this.#show({
      belt,
      events,
      log: [...this.#view.log, ...logged].slice(-LONGEST_LOG),
      prices: [...this.#view.prices, belt.goods.map((good) => good.price)].slice(-PRICES_KEPT),
      step,
      paid: look.reward,
      total: this.#view.total + look.reward,
      ended: look.ended,
      episode: look.episode,
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

/** The last step's events in one line, for those who listen to the page. */
export function tellEvents(view: View, spec: ProspectorSpec): string {
  return view.events.map((event) => tell(event, spec)).join(". ");
}
