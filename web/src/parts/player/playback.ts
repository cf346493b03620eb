// Where a replay stands and how fast it runs. Outside React: pictures read `position` sixty times a second,
// while the page is notified only when a whole step has passed.

export type Pace =
  | { kind: "clock"; stepsPerSecond: number } // a game that runs by a clock: speed is a multiple of real time
  | { kind: "frames" }; // a game of decisions: speed is decisions shown a second

export const CLOCK_SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8] as const;
export const FRAME_SPEEDS = { low: 1, high: 20, start: 6 } as const;
export const STRIDES = { low: 1, high: 15, start: 1 } as const;
const LONGEST_GAP_S = 0.25; // a tab that slept does not leap ahead

export class Playback {
  playing = false;
  loop = false;
  position = 0; // in steps, with the part between two of them
  stride = 1; // steps a frame; only by frames
  speed: number; // multiple of real time, or frames a second
  #length = 0;
  #waited = 0; // seconds since the last frame; only by frames
  #listeners = new Set<() => void>();
  #version = 0;

  constructor(readonly pace: Pace) {
    this.speed = pace.kind === "clock" ? 1 : FRAME_SPEEDS.start;
  }

  get length(): number {
    return this.#length;
  }

  get step(): number {
    return Math.floor(this.position + 1e-9);
  }

  get atEnd(): boolean {
    return this.position >= this.#length;
  }

  /** How many steps there are; the position stays within. */
  setLength(steps: number): void {
    if (steps === this.#length) return;
    this.#length = steps;
    this.position = Math.min(this.position, steps);
    this.#tell();
  }

  seek(step: number): void {
    if (!Number.isFinite(step)) return;
    this.position = Math.min(Math.max(0, step), this.#length);
    this.#waited = 0;
    this.#tell();
  }

  /** To a neighbouring whole step; stops playing, as one looks closely now. */
  nudge(steps: number): void {
    this.playing = false;
    this.seek(steps < 0 ? Math.ceil(this.position - 1e-9) + steps : this.step + steps);
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  play(): void {
    if (this.#length === 0) return;
    if (this.atEnd) this.position = 0;
    this.playing = true;
    this.#waited = 0;
    this.#tell();
  }

  pause(): void {
    this.playing = false;
    this.#tell();
  }

  change(what: Partial<Pick<Playback, "speed" | "stride" | "loop">>): void {
    Object.assign(this, what);
    this.#tell();
  }

  /** Moves on by real seconds; `ready` is the last step whose frame is there. */
  advance(seconds: number, ready = this.#length): void {
    if (!this.playing) return;
    const before = this.step;
    // An animation frame may carry a time from before it was asked for: that is no time, never time backward.
    const gap = Math.min(Math.max(0, seconds), LONGEST_GAP_S);
    const wanted = this.pace.kind === "clock" ? this.position + gap * this.pace.stepsPerSecond * this.speed : this.#byFrames(gap);
    this.position = Math.min(wanted, ready, this.#length);
    if (this.atEnd) this.#end();
    if (this.step !== before || !this.playing) this.#tell();
  }

  #byFrames(seconds: number): number {
    this.#waited += seconds * this.speed;
    const frames = Math.floor(this.#waited);
    this.#waited -= frames;
    return this.position + frames * this.stride;
  }

  #end(): void {
    if (this.loop) this.position = 0;
    else this.playing = false;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Changes whenever the page should look again. */
  version = (): number => this.#version;

  #tell(): void {
    this.#version++;
    for (const listener of this.#listeners) listener();
  }
}
