// Keys and buttons that are held or were tapped. The game reads them twenty times per second; a tap may be shorter.
import { REST, buttonCodes, jumps, stickOf, together, steeringOfKeys, type Steering } from "./steering";

const JUMP_DECISIONS = 4; // a fifth of a second of tag: a tap just before the landing is meant for it

export type Stick = Pick<Steering, "right" | "forward">;
export type Pad = Pick<Gamepad, "axes" | "buttons">;

const STILL: Stick = { right: 0, forward: 0 };

/** Keys and buttons by code, the stick on the screen, gamepads. Whatever went down counts for one decision at least. */
export class Hands {
  #held = new Set<string>();
  #tapped = new Map<string, number>(); // codes that went down lately: decisions that they still count for
  #stick = STILL;
  #nudge = STILL; // where the stick was since the last decision
  #padHeld: ReadonlySet<string> = new Set();
  #padSticks: Steering[] = [];

  press(code: string): void {
    if (this.#held.has(code)) return;
    this.#held.add(code);
    this.#tapped.set(code, jumps(code) ? JUMP_DECISIONS : 1);
  }

  release(code: string): void {
    this.#held.delete(code);
  }

  steer(stick: Stick): void {
    this.#stick = stick;
    if (moves(stick)) this.#nudge = stick;
  }

  /** Gamepads tell nothing by themselves: they are looked at once a picture. */
  look(pads: readonly Pad[]): void {
    const held = new Set(pads.flatMap(buttonCodes));
    for (const code of this.#padHeld) if (!held.has(code)) this.release(code);
    for (const code of held) this.press(code);
    this.#padHeld = held;
    this.#padSticks = pads.map(stickOf);
  }

  /** What all of them want of the next decision. */
  steering(): Steering {
    const stick = moves(this.#stick) ? this.#stick : this.#nudge;
    return together([steeringOfKeys(new Set([...this.#held, ...this.#tapped.keys()])), { ...REST, ...stick }, ...this.#padSticks]);
  }

  /** A decision was taken: taps have counted. One to jump waits a little longer for a jump to come of it. */
  decided(jumped: boolean): void {
    this.#nudge = STILL;
    for (const [code, left] of this.#tapped) {
      if (left <= 1 || (jumped && jumps(code))) this.#tapped.delete(code);
      else this.#tapped.set(code, left - 1);
    }
  }

  /** Taps from before the match mean nothing in it; what is held down does. */
  forgetTaps(): void {
    this.#tapped.clear();
    this.#nudge = STILL;
  }

  /** A key released while another window has the focus sends no event. */
  forget(): void {
    this.forgetTaps();
    this.#held.clear();
    this.#padHeld = new Set();
    this.#stick = STILL;
  }
}

function moves({ right, forward }: Stick): boolean {
  return right !== 0 || forward !== 0;
}
