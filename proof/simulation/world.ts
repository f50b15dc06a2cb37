import type { SqliteStore } from "../../src/db/sqlite/store.ts";
import type { AttemptPart, Store } from "../../src/db/store.ts";
import { SESSION_LIFETIME_SECONDS } from "../../src/identity/session-token.ts";
import { Unavailable } from "../../src/lib/fault.ts";
import { createTellApp } from "./app-servers.ts";
import type { Database } from "./database.ts";
import { connect, LATE_MS, MAX_CALL_MS, type Network } from "./faulty-store.ts";
import { createGate, type Gate, type GateOptions, type Life } from "./gate.ts";
import type { Mistake } from "./mistakes.ts";
import type { KnownApp, KnownGrant, Person } from "./model/apps.ts";
import { type AttemptModel, createAttemptModel } from "./model/attempts.ts";
import type { Enrolment } from "./model/enrolment.ts";
import { createFact, type Fact } from "./model/fact.ts";
import type { KnownDevice, KnownKey, KnownLink, KnownPasskey } from "./model/known.ts";
import { createLogModel, type LogModel } from "./model/log.ts";
import type { Member } from "./model/member.ts";
import { createPasswordModel, type PasswordModel } from "./model/password.ts";
import { createSessionModel, type SessionModel } from "./model/sessions.ts";
import { promise } from "./model/violation.ts";
import { createRandom } from "./random.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** The gates of one simulation, their store, and what is known of it. */
export interface World extends Network {
  readonly seed: number;
  readonly gates: readonly Gate[];
  readonly sessions: SessionModel;
  readonly passwords: PasswordModel;
  readonly log: LogModel;
  readonly attempts: AttemptModel;
  readonly passkeyAttempts: AttemptModel;
  readonly passkeys: KnownPasskey[];
  readonly codes: Fact<Enrolment | "off">;
  readonly enrolments: Enrolment[];
  readonly devices: KnownDevice[];
  /** The other accounts, which an operator adds, changes and removes. */
  readonly members: Member[];
  /** The store as the commands of the operator reach it. */
  readonly operator: Store;
  readonly links: KnownLink[];
  readonly keys: KnownKey[];
  /** The first account as apps see it. */
  readonly owner: Person;
  /** Whether most of what happens concerns apps. */
  readonly isAboutApps: boolean;
  readonly apps: KnownApp[];
  readonly grants: KnownGrant[];
  /** Requests by which people take the access of an app back, and until when they take effect. */
  readonly revocations: { readonly app: KnownApp; readonly person: Person; until: number }[];
  /** The database itself, which always answers at once. */
  readonly base: SqliteStore;
  /** Whether an answer has shown that an account exists. */
  isConfigured: boolean;
  setUps: number;
  /** Makes usernames and passwords unique. */
  numbers: number;
  /** Each request and fault, in order. */
  readonly trace: string[];
  note(line: string): void;
  /** Sends a request to a gate. `undefined` if it failed, or the gate crashed before the answer. */
  request<T>(
    life: Pick<Life, "crashed">,
    work: () => T | Promise<T>,
  ): Promise<{ readonly answer: T } | undefined>;
  /** Checks what holds at any moment. */
  check(): Promise<void>;
  close(): void;
}

/** Every call of a request may take this long, and a request makes some ten calls. */
const MAX_ANSWER_MS = 20 * MAX_CALL_MS;
/** In seconds. Shorter ones are not accepted. */
const MIN_LIFETIME_S = 60;

/** @param mistake An error that is put back, to see that it is found. */
export function createWorld(
  seed: number,
  time: VirtualTime,
  database: Database,
  mistake: Mistake = {},
): World {
  const random = createRandom(seed);
  const base = database.store;
  const apps: KnownApp[] = [];
  const network: Network = {
    database,
    tellApp: (url, token) => createTellApp(network, apps)(url, token),
    sharedLimit: countingAttempts(time),
    mistake: mistake.store?.() ?? ((store) => store),
    time,
    random,
    isFaulty: true,
    awayUntil: 0,
  };
  const options: GateOptions = {
    servedAs: mistake.servedAs ?? ((requester) => requester),
    limiter: random.chance(0.3) ? "shared" : "own",
    lifetime: random.chance(0.4) ? MIN_LIFETIME_S + random.below(20) : SESSION_LIFETIME_SECONDS,
  };
  const gates = Array.from({ length: 2 + random.below(3) }, (_, index) =>
    createGate(`gate ${index + 1}`, options, network),
  );
  for (const gate of gates) gate.start();
  const trace: string[] = [];
  const note = (line: string): void => {
    trace.push(`${(time.now() / 1_000).toFixed(3)} s  ${line}`);
  };
  let owners = 0;
  const sessions = createSessionModel(time.now, LATE_MS);
  const owner: Person = {
    username: "the first account",
    sessions,
    groups: createFact("admins", time.now, LATE_MS),
    state: createFact<"absent" | "present">("present", time.now, LATE_MS),
    endsAt: Number.POSITIVE_INFINITY,
  };

  return Object.assign(network, {
    seed,
    gates,
    sessions,
    passwords: createPasswordModel(),
    log: createLogModel(),
    attempts: createAttemptModel(time.now, options.limiter),
    passkeyAttempts: createAttemptModel(time.now, options.limiter),
    passkeys: [],
    codes: createFact<Enrolment | "off">("off", time.now, LATE_MS),
    enrolments: [],
    devices: [],
    members: [],
    operator: connect(network).store,
    links: [] as KnownLink[],
    keys: [],
    owner,
    isAboutApps: random.chance(0.4),
    apps,
    grants: [],
    revocations: [],
    base,
    isConfigured: false,
    setUps: 0,
    numbers: 0,
    trace,
    note,

    async request<T>(life: Pick<Life, "crashed">, work: () => T | Promise<T>) {
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
      const { members, links } = this;
      const users = database.countUsers();
      promise(users.owners <= 1, "there are two first accounts");
      promise(users.owners >= owners, "there is no account any more");
      owners = users.owners;
      const uses = links.reduce((sum, link) => sum + link.uses, 0);
      promise(users.byLinks <= uses, "a link is used more often than it may be");
      for (const { life } of gates) {
        if (life === undefined) continue;
        const {
          countRememberedUsers: rememberedUsers,
          countRememberedSessions: rememberedSessions,
        } = life.levels;
        promise(rememberedUsers() <= members.length + 1, "users are remembered without bound");
        const known = [this, ...members].reduce(
          (sum, { sessions }) => sum + sessions.all.length,
          0,
        );
        promise(rememberedSessions() <= known, "sessions are remembered without bound");
      }
    },

    close: () => {
      time.clear();
      database.clear();
    },
  });
}

/** The sliding log of a shared limiter, by the clock of the database: as PostgreSQL keeps it. */
function countingAttempts({ now }: VirtualTime): AttemptPart {
  const made = new Map<string, readonly number[]>();
  return {
    async record(address, { attempts, windowMs }) {
      const recent = (made.get(address) ?? []).filter((at) => at > now() - windowMs);
      if (recent.length >= attempts) return "denied";
      made.set(address, [...recent, now()]);
      return "allowed";
    },
    async forget() {},
  };
}
