// A slow machine draws fewer pixels and then no shadows, rather than fewer pictures a second. A picture that rests may
// take its time: it is drawn once more as well as it can be.

const STEPS = [
  { pixelRatio: 2, shadowPixels: 2048 },
  { pixelRatio: 1.25, shadowPixels: 1024 },
  { pixelRatio: 1, shadowPixels: 1024 },
  { pixelRatio: 0.75, shadowPixels: 512 },
  { pixelRatio: 0.6, shadowPixels: 0 },
] as const;
const START = 1;
const TOO_SLOW_MS = 40; // between two pictures; a screen of 30 Hz is none too slow
const FAR_TOO_SLOW_MS = 100;
const SLOW_FRAMES = 12; // slow pictures: the first few are slow anywhere

export class Quality {
  #moving: number;
  #resting = false;
  #slow = 0;

  /** `slow`: a machine known to be slow, whose first picture should not have to wait for the proof. */
  constructor(slow = false) {
    this.#moving = slow ? STEPS.length - 1 : START;
  }

  get #step(): (typeof STEPS)[number] {
    return STEPS[this.#resting ? START : this.#moving] ?? STEPS[START];
  }

  get pixelRatio(): number {
    return this.#step.pixelRatio;
  }

  get shadowPixels(): number {
    return this.#step.shadowPixels;
  }

  /** Call it when the picture came to rest, or moves again. Returns whether that changes the quality. */
  rest(resting: boolean): boolean {
    if (resting === this.#resting) return false;
    this.#resting = resting;
    return this.#moving > START;
  }

  /** Call it with the time since the last picture in motion. Returns whether the quality was lowered. */
  spent(milliseconds: number): boolean {
    const slow = milliseconds > FAR_TOO_SLOW_MS ? 4 : milliseconds > TOO_SLOW_MS ? 1 : -1;
    this.#slow = Math.max(0, this.#slow + slow);
    if (this.#slow < SLOW_FRAMES || this.#moving === STEPS.length - 1) return false;
    this.#slow = 0;
    this.#moving++;
    return true;
  }
}
