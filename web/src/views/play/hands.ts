// Keys and buttons that are held or were tapped, and sticks. The game reads them many times per second; a tap may be shorter.

/** Requested amounts by name, each from -1 to 1. */
export type Axes = Readonly<Record<string, number>>;

/** The two axes of a stick by name: right and up are positive. */
export type Stick = { x?: string; y?: string };

/** Bindings of a game's keys, buttons and sticks. */
export type Bindings = {
  keys: Readonly<Record<string, Axes>>; // by their place on the keyboard, so that W A S D lie together on every layout
  buttons: Readonly<Record<string, Axes>>; // "Pad0": of the standard gamepad, by its number; others are on the screen
  triggers?: Readonly<Record<number, string>>; // of the gamepad, by number: half-pressed is half as much
  sticks: readonly Stick[]; // of the gamepad: left, right
  waits?: Readonly<Record<string, number>>; // decisions for which a tap of a code stays pending
};

export type Pad = Pick<Gamepad, "axes" | "buttons">;

const DEAD_ZONE = 0.18; // dead zone: sticks do not rest at exactly 0
const TRIGGER_DEAD_ZONE = 0.05;

/** Keys, on-screen stick and gamepads. A press counts for at least one decision. */
export class Hands {
  #held = new Set<string>();
  #tapped = new Map<string, number>(); // recent presses: decisions for which they still count
  #stick: Axes = {};
  #nudge: Axes = {}; // where the stick was since the last decision
  #padHeld: ReadonlySet<string> = new Set();
  #padAxes: readonly Axes[] = [];

  constructor(readonly bindings: Bindings) {}

  /** Whether a keyboard key is bound. */
  knows(code: string): boolean {
    return Object.hasOwn(this.bindings.keys, code);
  }

  press(code: string): void {
    if (this.#held.has(code)) return;
    this.#held.add(code);
    this.#tapped.set(code, this.bindings.waits?.[code] ?? 1);
  }

  release(code: string): void {
    this.#held.delete(code);
  }

  /** A stick on the screen. */
  steer(axes: Axes): void {
    this.#stick = { ...this.#stick, ...axes };
    if (moves(this.#stick)) this.#nudge = this.#stick;
  }

  /** Gamepads send no events, so they are read once per frame. */
  readGamepads(pads: readonly Pad[]): void {
    const held = new Set(pads.flatMap((pad) => this.#buttonCodes(pad)));
    for (const code of this.#padHeld) if (!held.has(code)) this.release(code);
    for (const code of held) this.press(code);
    this.#padHeld = held;
    this.#padAxes = pads.flatMap((pad) => [...sticksOf(pad, this.bindings), triggersOf(pad, this.bindings)]);
  }

  #buttonCodes({ buttons }: Pad): string[] {
    return buttons.flatMap((button, i) => (button.pressed && Object.hasOwn(this.bindings.buttons, `Pad${i}`) ? [`Pad${i}`] : []));
  }

  /** The combined input for the next decision. */
  axes(): Axes {
    const { keys, buttons } = this.bindings;
    const stick = moves(this.#stick) ? this.#stick : this.#nudge;
    const codes = new Set([...this.#held, ...this.#tapped.keys()]);
    return together([...[...codes].map((code) => keys[code] ?? buttons[code] ?? {}), stick, ...this.#padAxes]);
  }

  /** A decision was made: taps have counted. Pending ones end when their effect has happened. */
  decided(fulfilled: boolean): void {
    this.#nudge = {};
    for (const [code, left] of this.#tapped) {
      if (left <= 1 || (fulfilled && Object.hasOwn(this.bindings.waits ?? {}, code))) this.#tapped.delete(code);
      else this.#tapped.set(code, left - 1);
    }
  }

  /** Drops taps from before the episode; keys that are held still count. */
  forgetTaps(): void {
    this.#tapped.clear();
    this.#nudge = {};
  }

  /** A key released while another window has the focus sends no event. */
  forget(): void {
    this.forgetTaps();
    this.#held.clear();
    this.#padHeld = new Set();
    this.#stick = {};
  }
}

function sticksOf({ axes }: Pad, { sticks }: Bindings): Axes[] {
  return sticks.map(({ x, y }, i) => {
    const [right, down] = [axes[2 * i] ?? 0, axes[2 * i + 1] ?? 0];
    if (Math.hypot(right, down) < DEAD_ZONE) return {};
    return { ...(x ? { [x]: right } : {}), ...(y ? { [y]: -down } : {}) };
  });
}

function triggersOf({ buttons }: Pad, { triggers = {} }: Bindings): Axes {
  const pressed = Object.entries(triggers).map(([number, name]) => [name, buttons[Number(number)]?.value ?? 0] as const);
  return Object.fromEntries(pressed.filter(([, value]) => value > TRIGGER_DEAD_ZONE));
}

/** Inputs of several controls add up. */
function together(inputs: readonly Axes[]): Axes {
  const sum: Record<string, number> = {};
  for (const axes of inputs) for (const [name, value] of Object.entries(axes)) sum[name] = (sum[name] ?? 0) + value;
  return Object.fromEntries(Object.entries(sum).map(([name, value]) => [name, Math.min(1, Math.max(-1, value))]));
}

function moves(axes: Axes): boolean {
  return Object.values(axes).some((value) => value !== 0);
}
