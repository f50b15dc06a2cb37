import type { AttemptPart, Store } from "../../src/db/store.ts";
import { Unavailable } from "../../src/lib/fault.ts";
import type { Database } from "./database.ts";
import type { Random } from "./random.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** A call takes effect or fails within this time, also after its gate has crashed. */
export const MAX_CALL_MS = 6_000;

/** How long after a failure a request can still take effect. */
export const LATE_MS: number = 2 * MAX_CALL_MS;

/** What the stores of all gates share. */
export interface Network {
  readonly database: Database;
  /** The rate limit of the database, which SQLite does not have. */
  readonly sharedLimit: AttemptPart;
  /** Puts an error back into the store of a gate. */
  readonly mistake: (store: Store) => Store;
  /** Sends the message to an app that a session has ended. Rejects unless the app acknowledges it. */
  readonly tellApp: (url: string, token: string) => Promise<void>;
  readonly time: VirtualTime;
  readonly random: Random;
  /** While `false`, every call answers soon. */
  isFaulty: boolean;
  /** Until then the store answers no gate. */
  awayUntil: number;
}

/** The connection of one gate. */
export interface Connection {
  readonly store: Store;
  /** A crashed gate sends nothing more. */
  cut(): void;
}

/** A promise for each call: a shared one would keep everything that waits for it in memory. */
const never = (): Promise<never> => new Promise(() => {});

const LOST_OF_CALLS = 0.02;
const FAILED_OF_CALLS = 0.02;
const SLOW_OF_CALLS = 0.08;

/** Connects a gate to the database: its calls are slow, overtake each other, fail, or lose answers. */
export function connect(network: Network): Connection {
  const { time, random, sharedLimit } = network;
  let isCut = false;

  function latency(): number {
    if (!network.isFaulty) return random.next();
    if (random.chance(SLOW_OF_CALLS))
      return random.chance(0.5) ? MAX_CALL_MS / (2 + random.next()) : random.next() * 500;
    return random.next() ** 3 * 20;
  }

  async function send<T>(operation: string, call: () => Promise<T>): Promise<T> {
    if (isCut) return never();
    // Never fails: else the gate counts alone, and clients cannot tell which of the two counted.
    const isCounting = operation.startsWith("attempts.");
    const fate = network.isFaulty && !isCounting ? random.next() : 1;
    await time.pause(latency());
    const isAway = time.now() < network.awayUntil && !isCounting;
    if (isAway || fate < FAILED_OF_CALLS)
      throw new Unavailable("store_unavailable", "simulated: not sent", 1);
    const result = await call();
    await time.pause(latency());
    if (isCut) return never();
    if (fate < FAILED_OF_CALLS + LOST_OF_CALLS)
      throw new Unavailable("store_unavailable", "simulated: the answer is lost", 1);
    return result;
  }

  const store: Store = {
    ...network.database.connect(send),
    attempts: {
      record: (...given) => send("attempts.record", () => sharedLimit.record(...given)),
      forget: (rule) => send("attempts.forget", () => sharedLimit.forget(rule)),
    },
  };
  return { store: network.mistake(store), cut: () => (isCut = true) };
}
