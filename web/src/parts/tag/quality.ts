// A slow machine draws fewer pixels and then no shadows, rather than fewer pictures a second.

const STEPS = [
  { pixelRatio: 2, shadowPixels: 2048 },
  { pixelRatio: 1.25, shadowPixels: 1024 },
  { pixelRatio: 1, shadowPixels: 1024 },
  { pixelRatio: 0.75, shadowPixels: 512 },
  { pixelRatio: 0.6, shadowPixels: 0 },
] as const;
const TOO_SLOW_MS = 30;
const PATIENCE = 12; // pictures: the first few are slow anywhere

export class Quality {
  #step = 1;
  #slow = 0;

  get pixelRatio(): number {
    return STEPS[this.#step]?.pixelRatio ?? 1;
  }

  get shadowPixels(): number {
    return STEPS[this.#step]?.shadowPixels ?? 0;
  }

  /** Told how long a picture took. Returns whether the quality was lowered. */
  spent(milliseconds: number): boolean {
    this.#slow = milliseconds > TOO_SLOW_MS ? this.#slow + 1 : Math.max(0, this.#slow - 1);
    if (this.#slow < PATIENCE || this.#step === STEPS.length - 1) return false;
    this.#slow = 0;
    this.#step++;
    return true;
  }
}
