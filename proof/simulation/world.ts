import { Unavailable } from "../../src/core/base/fault.ts";
import type { Store, UserChanges, UserWatching } from "../../src/core/store.ts";
import { openSqlite, type SqliteStore } from "../../src/stores/sqlite/store.ts";
import { LATE_MS, MAX_CALL_MS, type Network, type Reporting } from "./faulty-store.ts";
import { createGate, type Gate, type Life } from "./gate.ts";
import { type AttemptModel, createAttemptModel } from "./model/attempts.ts";
import { createFact, type Fact } from "./model/fact.ts";
import type { Enrolment, KnownLink, KnownPasskey } from "./model/known.ts";
import { createPasswordModel, type PasswordModel } from "./model/password.ts";
import { createSessionModel, type SessionModel } from "./model/sessions.ts";
import { promise } from "./model/violation.ts";
import { createRandom } from "./random.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** The gates of one simulation, their store, and what is known of it. */
export interface World extends Network {
  readonly gates: readonly Gate[];
  readonly sessions: SessionModel;
  readonly passwords: PasswordModel;
  readonly attempts: AttemptModel;
  readonly passkeyAttempts: AttemptModel;
  readonly passkeys: KnownPasskey[];
  readonly codes: Fact<Enrolment | "off">;
  readonly enrolments: Enrolment[];
  readonly links: KnownLink[];
  /** The database itself, which always answers at once. */
  readonly base: SqliteStore;
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
  const network: Network = { time, random, isFaulty: true, awayUntil: 0 };
  const changed = { ...change(base), changes: sharedChanges(base.changes, time) };
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
    sessions: createSessionModel(time.now, LATE_MS),
    passwords: createPasswordModel(),
    attempts: createAttemptModel(time.now),
    passkeyAttempts: createAttemptModel(time.now),
    passkeys: [],
    codes: createFact<Enrolment | "off">("off", time.now, LATE_MS),
    enrolments: [],
    links: [],
    base,
    isConfigured: false,
    setUps: 0,
    numbers: 0,
    trace,
    note,

    async request<T>(life: Life, work: () => T | Promise<T>) {
      const answering = (async () => ({ answer: await work() }))().catch((error: unknown) => {
        const isExpected = network.isFaulty && error instanceof Unavailable;
        promise(isExpected, `a request fails without a fault: ${String(error)}`);
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
      const all = await base.users.read("", 1_000);
      const users = all.filter(({ endsAt }) => endsAt === undefined);
      promise(users.length <= 1, "there are two first accounts");
      promise(all.length - users.length <= this.links.length, "a link is used twice");
      promise(users.length >= accounts, "there is no account any more");
      accounts = users.length;
      for (const { life } of gates) {
        if (life === undefined) continue;
        const { rememberedUsers, rememberedSessions } = life.levels;
        promise(rememberedUsers() <= accounts, "users are remembered without bound");
        const known = this.sessions.all.length;
        promise(rememberedSessions() <= known, "sessions are remembered without bound");
      }
    },

    close: () => {
      time.clear();
      base.close();
    },
  });
}

/** One watch for all gates, since each one of SQLite asks the database twenty times a second. */
function sharedChanges(changes: UserChanges, { now }: VirtualTime): UserChanges {
  const watching = new Set<UserWatching>();
  changes.watch({
    now,
    changed(id) {
      for (const one of watching) one.changed(id);
    },
  });
  return {
    watch(one) {
      watching.add(one);
      return { confirmedAt: now, close: async () => void watching.delete(one) };
    },
  };
}
