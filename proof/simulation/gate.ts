import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";
import type { PasswordHash } from "../../src/db/records.ts";
import { startSignOutQueue } from "../../src/features/oidc/sign-out-queue.ts";
import type { SigningJwk } from "../../src/features/oidc/signing-keys.ts";
import type { Passwords } from "../../src/identity/passwords.ts";
import { OPERATOR } from "../../src/identity/requester.ts";
import type { Levels } from "../../src/lib/meter.ts";
import { noMeter } from "../../src/lib/meter.ts";
import { createWorkQueue, type Requester } from "../../src/lib/work-queue.ts";
import { NO_GATE } from "../../src/options.ts";
import { type CreatedServices, createServices } from "../../src/services.ts";
import { settleOptions } from "../../src/settle-options.ts";
import { type Connection, connect, type Network } from "./faulty-store.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** One life of a gate: from a start to a crash, or to the end. */
export interface Life extends Pick<CreatedServices, "rules" | "authenticateKey"> {
  readonly levels: Levels;
  /** By its own monotonic clock, which drifts; infinite for a time before it started. */
  since(at: number): number;
  /** Its system clock, which also jumps. */
  now(): number;
  /** When its system clock was last set. */
  clockSetAt(): number;
  /** Settled when it crashes. */
  readonly crashed: Promise<void>;
}

export interface Gate {
  readonly name: string;
  /** `undefined` while it is down. */
  readonly life: Life | undefined;
  start(): void;
  crash(): void;
  setClock(): void;
}

/** When every simulation begins, by a clock without an error. */
export const START: number = Date.UTC(2030, 0, 1);
/** Two gates differ by less than the two minutes in ARCHITECTURE.md. */
const MAX_OFFSET_MS = 50_000;
const MAX_DRIFT = 0.01;
const SECRET = "the secret of all simulated gates";

const digest = (salt: string, password: string): string =>
  createHash("sha256").update(salt).update(password).digest("base64url");

/** A real salted hash, only a fast one. */
export const fastPasswords: Passwords = {
  async hash(password) {
    const salt = randomBytes(8).toString("base64url");
    return `${salt}$${digest(salt, password)}` as PasswordHash;
  },
  async verify(password, hash = "unknown$user" as PasswordHash) {
    const [salt = "", expected] = hash.split("$");
    return digest(salt, password) === expected;
  },
  isOutdated: () => false,
};

/** Fewer places than a gate has, so that a small crowd fills them. */
const HASHING = { atOnce: 1, waiting: 16 };
const HASH_MS = 30;

/** The same hashes in the queue of a gate, where they take their time. */
function queuedPasswords(
  time: VirtualTime,
  servedAs: (requester: Requester) => Requester,
): Passwords {
  const queued = createWorkQueue(HASHING);
  const slowly = <T>(requester: Requester, job: () => Promise<T>): Promise<T> =>
    queued(servedAs(requester), () => time.pause(HASH_MS).then(job));
  return {
    ...fastPasswords,
    hash: (password, requester = OPERATOR) => slowly(requester, () => fastPasswords.hash(password)),
    verify: (password, hash, requester = OPERATOR) =>
      slowly(requester, () => fastPasswords.verify(password, hash)),
  };
}

/** How the gates of one world are configured. */
export interface GateOptions {
  /** Whom the queue of the hashes takes a client for. */
  readonly servedAs: (requester: Requester) => Requester;
  readonly limiter: "own" | "shared";
  /** Of a session, in seconds. */
  readonly lifetime: number;
}

const silent = { warn: () => {}, error: () => {} };

export const ISSUER = "https://auth.example.org";

/** A key that signs fast: the simulated apps do not verify signatures. */
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 1_024 });
const jwk = { ...privateKey.export({ format: "jwk" }), kid: "key", alg: "RS256", use: "sig" };
export const signingKeys: readonly SigningJwk[] = [jwk as SigningJwk];

/** A gate of the real rules, with all their caches, on a connection of its own. */
export function createGate(
  name: string,
  { servedAs, limiter, lifetime }: GateOptions,
  network: Network,
): Gate {
  const { time, random } = network;
  const rate = 1 + (random.next() * 2 - 1) * MAX_DRIFT;
  let offset = 0;
  let setAt = Number.NEGATIVE_INFINITY;
  let running: (Life & { readonly connection: Connection; end(): void }) | undefined;

  const setClock = (): void => {
    offset = (random.next() * 2 - 1) * MAX_OFFSET_MS;
    setAt = time.now();
  };
  setClock();

  return {
    name,
    get life() {
      return running;
    },
    setClock,
    start() {
      const startedAt = time.now();
      const clock = {
        now: () => Math.floor(START + time.now() * rate + offset),
        monotonic: () => (time.now() - startedAt) * rate,
      };
      const connection = connect(network);
      let levels: Levels | undefined;
      const meter = { ...noMeter, watch: (given: Levels) => (levels = given) };
      const settled = settleOptions({
        store: connection.store,
        secret: SECRET,
        log: silent,
        signIn: { limiter },
        guards: { keys: true },
        sessions: { lifetime },
      });
      const made = createServices({ ...settled, ...NO_GATE, meter }, settled.log, {
        clock,
        passwords: queuedPasswords(time, servedAs),
      });
      // After a crash it waits for the connection that was cut.
      startSignOutQueue({
        ...made.rules,
        issuer: ISSUER,
        readKeys: async () => signingKeys,
        send: (url, token) => network.tellApp(url, token),
      });
      const { promise: crashed, resolve: end } = Promise.withResolvers<void>();
      if (levels === undefined) throw new Error("the rules have not shown their levels");
      const since = (at: number): number =>
        at < startedAt ? Number.POSITIVE_INFINITY : (time.now() - at) * rate;
      const now = clock.now;
      const life = { levels, since, now, clockSetAt: () => setAt, crashed };
      running = { ...made, ...life, connection, end };
    },
    crash() {
      running?.connection.cut();
      running?.end();
      running = undefined;
    },
  };
}
