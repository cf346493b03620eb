// Seeds, and seeded random numbers for players in the page: the engine's own PCG32, so that a match can be repeated.
import { EngineError } from "../../../engine/wasm/sandlot.mjs";

const cut = (x: bigint) => BigInt.asUintN(64, x);

export class Random {
  #state = 0n;

  constructor(seed: number | bigint) {
    this.#next();
    this.#state = cut(this.#state + BigInt(seed));
    this.#next();
  }

  #next(): number {
    const old = this.#state;
    this.#state = cut(old * 6364136223846793005n + 109n);
    const shifted = Number(BigInt.asUintN(32, ((old >> 18n) ^ old) >> 27n));
    const turn = Number(old >> 59n);
    return ((shifted >>> turn) | (shifted << (-turn & 31))) >>> 0;
  }

  /** From 0 up to, but never, 1. */
  unit(): number {
    return this.#next() / 4294967296;
  }

  /** Around 0 with a spread of 1 (Box and Muller). */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.unit())) * Math.cos(2 * Math.PI * this.unit());
  }
}

/** The seed as the engine takes it, or a sentence about why it is none. */
export function checkSeed(seed: number | bigint | string): bigint {
  const text = String(seed).trim();
  const value = /^\d{1,20}$/.test(text) ? BigInt(text) : -1n;
  if (value < 0n || value >= 1n << 64n) throw new EngineError(`A seed is a whole number from 0 to 2^64 - 1, not ${text.slice(0, 40) || "nothing"}.`);
  return value;
}

/** A seed that nobody has seen, small enough to read out. */
export function freshSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0]!;
}
