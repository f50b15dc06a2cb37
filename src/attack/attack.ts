import type { Target } from "./target.ts";

/**
 * What has to be allowed or at hand before an attack is tried. Without any of it, an attack changes
 * no data, locks nobody out and is no load.
 */
export type Need = "account" | "disturb" | "fresh" | "workshop";

export interface Attack {
  readonly name: string;
  /** What is tried, in few words. */
  readonly about: string;
  /** What it means where it gets through. */
  readonly meaning: string;
  /** "312 forms tried, none led elsewhere" is made of `forms` and `led elsewhere`. */
  readonly noun: string;
  readonly verb: string;
  readonly needs: readonly Need[];
  run(target: Target, tally: Tally): Promise<void>;
}

/** What an attack reports while it runs. */
export interface Tally {
  tried(): void;
  gotThrough(what: string): void;
}

/** There is nothing to say about this server, and why. */
export class LeftOut extends Error {}

/** The server could not be judged, and why. */
export class CannotTell extends Error {}

/** Works through items, so many at a time, in their order. */
export async function forEach<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = [...items].reverse();
  const worker = async (): Promise<void> => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Gentle: what an address of somebody's own can bear. */
export const FEW = 4;
