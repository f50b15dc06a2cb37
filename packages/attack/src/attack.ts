import type { HttpVersion } from "./http/http2.ts";
import type { Target } from "./target.ts";

/**
 * What the operator must allow or provide for an attack. An attack that needs none of these changes
 * no data, locks no one out and sends little traffic.
 */
export type Need = "account" | "clients" | "disturb" | "echo" | "fresh" | "server-access";

export interface Attack {
  readonly name: string;
  /** What is tried, in one phrase. */
  readonly about: string;
  /** The consequence if the attack gets through. */
  readonly meaning: string;
  /** The summary "312 URLs tried, none redirected" uses `noun` "URLs" and `verb` "redirected". */
  readonly noun: string;
  readonly verb: string;
  readonly needs: readonly Need[];
  /** The versions that it runs over where the server offers them; by default HTTP/1.1 only. */
  readonly versions?: readonly HttpVersion[];
  /**
   * @throws Skipped if the attack does not apply to the server
   * @throws Undecided if the server's responses allow no verdict
   */
  run(target: Target, tally: Tally): Promise<void>;
}

/** What an attack reports while it runs. */
export interface Tally {
  tried(): void;
  gotThrough(what: string): void;
}

/** Processes items in order, at most `limit` at a time. */
export async function forEach<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  // One iterator for all workers, so that an item may be undefined.
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: limit }, worker));
}

/** Requests in flight at a time: few enough for a small server that is in use. */
export const CONCURRENCY = 4;
