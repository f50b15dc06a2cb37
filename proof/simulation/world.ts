import type { Store } from "../../src/core/store.ts";
import { openSqlite } from "../../src/stores/sqlite/store.ts";
import { type AttemptModel, createAttemptModel } from "./attempt-model.ts";
import { MAX_CALL_MS, type Network, type Reporting } from "./faulty-store.ts";
import { createGate, type Gate, type Life } from "./gate.ts";
import { createPasswordModel, type PasswordModel } from "./password-model.ts";
import { createRandom } from "./random.ts";
import { createSessionModel, type SessionModel } from "./session-model.ts";
import { promise } from "./violation.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** The gates of one simulation, their store, and what is known of it. */
export interface World extends Network {
  readonly gates: readonly Gate[];
  readonly sessions: SessionModel;
  readonly passwords: PasswordModel;
  readonly attempts: AttemptModel;
  /** Whether an answer has told that an account exists. */
  isConfigured: boolean;
  setUps: number;
  /** Makes usernames and passwords unique. */
  numbers: number;
  /** What each request and fault was, in order. */
  readonly trace: string[];
  note(line: string): void;
  /** Sends a request to a gate. `undefined` if it failed, or the gate crashed before the answer. */
  request<T>(life: Life, work: () => T | Promise<T>): Promise<{ readonly answer: T } | undefined>;
  /** Checks what holds at any moment. */
  check(): Promise<void>;
  close(): void;
}

/** Every call of a request may take this long, and a request makes some ten calls. */
const MAX_ANSWER_MS = 20 * MAX_CALL_MS;
const REPORTING: readonly Reporting[] = ["absent", "unconfirmed", "confirmed"];

/** @param change Puts an error back, to see that it is found. */
export async function createWorld(
  seed: number,
  time: VirtualTime,
  change: (store: Store) => Store = (store) => store,
): Promise<World> {
  const random = createRandom(seed);
  const base = await openSqlite({ file: ":memory:" });
  const network: Network = { time, random, isFaulty: true };
  const changed = change(base);
  const gates = Array.from({ length: 2 + random.below(3) }, (_, index) =>
    createGate(`gate ${index + 1}`, changed, random.pick(REPORTING) ?? "absent", network),
  );
  for (const gate of gates) gate.start();
  const trace: string[] = [];
  const note = (line: string): void => {
    trace.push(`${(time.now() / 1_000).toFixed(3)} s  ${line}`);
  };
  let accounts = 0;

  return Object.assign(network, {
    gates,
    sessions: createSessionModel(time.now, 2 * MAX_CALL_MS),
    passwords: createPasswordModel(),
    attempts: createAttemptModel(time.now),
    isConfigured: false,
    setUps: 0,
    numbers: 0,
    trace,
    note,

    async request<T>(life: Life, work: () => T | Promise<T>) {
      const answering = (async () => ({ answer: await work() }))().catch((error: unknown) => {
        promise(network.isFaulty, `a request fails without a fault: ${String(error)}`);
        return undefined;
      });
      const late = Promise.withResolvers<"late">();
      const stop = time.after(MAX_ANSWER_MS, () => late.resolve("late"));
      const first = await Promise.race([answering, life.crashed, late.promise]);
      stop();
      promise(first !== "late", "a request is not answered");
      return first ?? undefined;
    },

    async check() {
      const users = await base.users.read("", 3);
      promise(users.length <= 1, "there are two first accounts");
      promise(users.length >= accounts, "there is no account any more");
      accounts = users.length;
      for (const { life } of gates) {
        if (life === undefined) continue;
        promise(life.levels.rememberedUsers() <= accounts, "users are remembered without bound");
      }
    },

    close: () => {
      time.clear();
      base.close();
    },
  });
}
