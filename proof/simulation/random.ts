import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

/** Decisions that follow from a seed alone. */
export interface Random {
  /** From 0 to below 1. */
  next(): number;
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<T>(values: readonly T[]): T | undefined;
}

/** The generator mulberry32: 32 bits of state, which is enough to choose among faults. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (values) => values[below(values.length)],
  };
}

/** Makes the IDs, keys and codes of this process follow from the seed too. */
export function replaceRandomness({ below }: Random): void {
  const randomBytes = (size: number): Buffer =>
    Buffer.from(Uint8Array.from({ length: size }, () => below(256)));
  const randomUUID = (): string =>
    randomBytes(16)
      .toString("hex")
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  Object.assign(crypto, { randomBytes, randomInt: below, randomUUID });
  syncBuiltinESMExports();
}
