import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createEventLog } from "../../src/audit/event-log.ts";
import { type SignInServices, signIn } from "../../src/features/sign-in/sign-in.ts";
import { createAttemptLimiter } from "../../src/identity/attempt-limiter.ts";
import {
  createAuthenticateToken,
  createSessionCache,
} from "../../src/identity/authenticate-session.ts";
import {
  type CredentialCache,
  createCredentialCache,
} from "../../src/identity/credential-cache.ts";
import { createPasswords, type Passwords } from "../../src/identity/passwords.ts";
import { createSeals } from "../../src/identity/seals.ts";
import { createSessionRecorder } from "../../src/identity/session-recorder.ts";
import { createSessionTokens } from "../../src/identity/session-token.ts";
import { toSession } from "../../src/identity/start-session.ts";
import { optionTable } from "../../src/options.ts";
import { quantile } from "./figures.ts";
import { type Amount, userIdOf, usernameOf } from "./scale-fill.ts";
import { OWNER, type Subject } from "./scale-stores.ts";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
const GUARDS = 400;
const SIGN_INS = 200;
const WHOLE_SIGN_INS = 9;
/** In parallel, because sequential calls would measure how fast this machine wakes an idle core. */
const AT_ONCE = 8;
const IN_PROCESS = { warmUps: 8, aRound: 5 };
const AS_A_WHOLE = { warmUps: 1, aRound: 1 };
const HOUR_MS = 3_600_000;
/** Of the 800 entries, a few may be outside the hour. */
const HOURLY = 790;

const clock = { now: () => Date.now(), monotonic: () => performance.now() };
const SECRET = "a secret for benchmarks, 32 bytes";
const tokens = createSessionTokens(SECRET, clock);
const seals = createSeals(SECRET);
const log = { warn: () => {}, error: () => {} };

/** A measure, taken at each size as a median in milliseconds. */
export interface Measure {
  readonly name: string;
  readonly unit: "µs" | "ms";
  /** Measures in this process need a warm-up. */
  readonly warmUps: number;
  /** Runs per round. Short measures need more, because scheduling affects them more. */
  readonly aRound: number;
  run(subject: Subject, amount: Amount, newest: number): Promise<number>;
}

const trusting: Passwords = {
  ...createPasswords(optionTable.signIn.hashing.default),
  verify: async () => true,
};

export const measures: readonly Measure[] = [
  { name: "Bare look-up", unit: "µs", ...IN_PROCESS, run: lookUps },
  { name: "Cold guard", unit: "µs", ...IN_PROCESS, run: coldGuards },
  {
    name: "Sign-in, less the hash",
    unit: "µs",
    ...IN_PROCESS,
    run: (subject, { users }) =>
      signInsOn(
        subject,
        trusting,
        arrayOf(SIGN_INS, () => usernameOf(anyOf(users))),
        AT_ONCE,
      ),
  },
  {
    name: "Sign-in",
    unit: "ms",
    ...AS_A_WHOLE,
    run: (subject) =>
      signInsOn(
        subject,
        createPasswords(optionTable.signIn.hashing.default),
        arrayOf(WHOLE_SIGN_INS, () => OWNER.username),
        1,
      ),
  },
  {
    name: "log --limit 20",
    unit: "ms",
    ...AS_A_WHOLE,
    run: ({ env }) => timeOfLog(env, ["--limit", "20"], 20),
  },
  {
    name: "log --limit 20, rare type",
    unit: "ms",
    ...AS_A_WHOLE,
    run: ({ env }) => timeOfLog(env, ["--type", "signin_rate_limited", "--limit", "20"], 20),
  },
  {
    name: "log --since an hour ago",
    unit: "ms",
    ...AS_A_WHOLE,
    run: ({ env }, _amount, newest) =>
      timeOfLog(env, ["--since", new Date(newest - HOUR_MS).toISOString()], HOURLY),
  },
];

function lookUps(subject: Subject, { users }: Amount): Promise<number> {
  return cpuOf(
    arrayOf(GUARDS, () => async () => {
      if ((await subject.lookUp(userIdOf(anyOf(users)))) === undefined) throw new Error("no user");
    }),
    AT_ONCE,
  );
}

/** The guard of a gate for recorded sessions of random users, none of which is remembered. */
async function coldGuards({ store }: Subject, { users }: Amount): Promise<number> {
  const credentialCache = freshMemory(store);
  const recorder = createSessionRecorder(store.sessions, clock, log);
  const guard = createAuthenticateToken(tokens, createSessionCache(credentialCache), clock, {
    store: store.sessions,
    recorder,
    pendingSignOuts: { has: () => false },
  });
  const issued = arrayOf(GUARDS, () => tokens.issue(userIdOf(anyOf(users))));
  for (const token of issued) {
    await store.sessions.insert(toSession(token, clock.now(), { remoteAddress: "203.0.113.7" }));
  }
  const took = await cpuOf(
    issued.map(({ text }) => async () => {
      if ((await guard(text)).kind !== "admitted") throw new Error("no session");
    }),
    AT_ONCE,
  );
  await recorder.flush();
  return took;
}

/** The time from the start of the process to its end. */
async function timeOfLog(
  env: Subject["env"],
  args: readonly string[],
  least: number,
): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, ["--", MAIN, "log", ...args], {
    env: { PATH: process.env.PATH ?? "", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const text = Buffer.concat(await child.stdout.toArray()).toString("utf8");
  await ended;
  const took = performance.now() - start;
  const lines = text.split("\n").length - 1;
  if (lines < least) throw new Error(`latchkey log ${args.join(" ")} printed only ${lines} lines`);
  return took;
}

const arrayOf = <T>(length: number, make: () => T): readonly T[] => Array.from({ length }, make);

/** An empty cache that does not listen for changes. */
const freshMemory = (store: Subject["store"]): CredentialCache =>
  createCredentialCache(store, clock);

const anyOf = (users: number): number => 1 + Math.floor(Math.random() * users);

/** The time of each call, with a fixed concurrency. */
async function medianOf(works: readonly (() => Promise<void>)[], atOnce: number): Promise<number> {
  const times: number[] = [];
  for (let first = 0; first < works.length; first += atOnce) {
    const batch = works.slice(first, first + atOnce);
    const start = performance.now();
    await Promise.all(batch.map((work) => work()));
    times.push((performance.now() - start) / batch.length);
  }
  return quantile(times, 0.5);
}

/** The processor time of this process for each call, which other programs do not change. */
async function cpuOf(works: readonly (() => Promise<void>)[], atOnce: number): Promise<number> {
  const before = process.cpuUsage();
  await medianOf(works, atOnce);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / works.length / 1_000;
}

/** The sign-in rule, including the log entries that it writes in the background. */
async function signInsOn(
  { store }: Subject,
  passwords: Passwords,
  usernames: readonly string[],
  atOnce: number,
): Promise<number> {
  const credentialCache = freshMemory(store);
  const events = createEventLog(store.log, clock, log);
  const limiter = createAttemptLimiter(clock);
  const recorder = createSessionRecorder(store.sessions, clock, log);
  const codes = { clock, seals, codeLimiter: limiter };
  const ports: SignInServices = {
    ...codes,
    credentialCache,
    store,
    tokens,
    passwords,
    events,
    recorder,
    signInLimiter: limiter,
    log,
  };
  await credentialCache.anyExists();
  const median = await medianOf(
    usernames.map((username, at) => async () => {
      const attempt = {
        remoteAddress: `10.0.${at >> 8}.${at & 255}`,
        username,
        password: OWNER.password,
      };
      const { kind } = await signIn(ports, attempt);
      if (kind !== "signed-in") throw new Error(`the sign-in was ${kind}`);
    }),
    atOnce,
  );
  await Promise.all([events.close(), recorder.flush()]);
  return median;
}
