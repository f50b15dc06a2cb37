import { hash as argon2Hash, verify as argon2Verify } from "@node-rs/argon2";
import { NO_PASSWORD, type PasswordHash, UNSET_PASSWORD } from "../db/records.ts";
import { getErrorMessage } from "../lib/fault.ts";
import type { WorkMeter } from "../lib/meter.ts";
import type { ServerLog } from "../lib/server-log.ts";
import { createWorkQueue, type Requester, type WorkQueueLimits } from "../lib/work-queue.ts";
import { judgeHash, verifyScrypt } from "./password-cost.ts";
import { OPERATOR } from "./requester.ts";

/** OWASP recommends these parameters for argon2id: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const CURRENT_FORM = `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$`;

/**
 * This hash has a salt and a digest of zeros. Passwords of unknown users are verified against it,
 * and the result is ignored.
 */
const DUMMY_HASH = `${CURRENT_FORM}${"A".repeat(22)}$${"A".repeat(43)}`;

/**
 * Hashes and verifies passwords. `requester` is the client that waits for the result, by default
 * the operator.
 */
export interface Passwords {
  hash(password: string, requester?: Requester): Promise<PasswordHash>;
  /**
   * Verifies a password. Takes the same time for an unknown user (`undefined`), for a hash of the
   * current form, and for a hash that cannot be read or would cost too much, which never matches.
   */
  verify(password: string, hash: PasswordHash | undefined, requester?: Requester): Promise<boolean>;
  /** Returns whether the algorithm or cost of the hash differs from new hashes. */
  isOutdated(hash: PasswordHash): boolean;
}

/**
 * @throws From each call `Unavailable` when more calls wait than `limits` allows in total or for
 * one requester, and the fault `client_gone` when the requester's client has disconnected.
 */
export function createPasswords(
  limits: WorkQueueLimits,
  log?: Pick<ServerLog, "warn">,
  meter?: WorkMeter,
): Passwords {
  const enqueue = createWorkQueue(limits, meter);

  return {
    hash: (password, requester = OPERATOR) =>
      enqueue(requester, async () => (await argon2Hash(password, COST)) as PasswordHash),

    verify: (password, hash, requester = OPERATOR) =>
      enqueue(requester, async () => {
        const matches = hash === undefined ? undefined : await verifyHash(hash, password, log);
        if (matches !== undefined) return matches;
        await argon2Verify(DUMMY_HASH, password);
        return false;
      }),

    isOutdated: (hash) => !hash.startsWith(CURRENT_FORM),
  };
}

const TOO_COSTLY =
  "a password was rejected: the stored password hash would take too much memory or time (reset the password of that account)";
const UNREADABLE =
  "a password was rejected: the stored password hash cannot be read (reset the password of that account)";

/**
 * Verifies a password against a hash. Returns `undefined`, and logs the reason, if the hash cannot
 * be used.
 */
async function verifyHash(
  hash: PasswordHash,
  password: string,
  log?: Pick<ServerLog, "warn">,
): Promise<boolean | undefined> {
  if (hash === NO_PASSWORD || hash === UNSET_PASSWORD) return undefined;
  // A foreign store may keep accounts without a password hash.
  const verdict = typeof hash === "string" ? judgeHash(hash) : "unknown";
  if (verdict === "too-costly") log?.warn({}, TOO_COSTLY);
  if (verdict === "unknown") log?.warn({}, UNREADABLE);
  if (verdict !== "usable") return undefined;
  try {
    return await getVerifier(hash)(hash, password);
  } catch (error) {
    log?.warn({ reason: getErrorMessage(error) }, UNREADABLE);
    return undefined;
  }
}

function getVerifier(hash: PasswordHash): (hash: string, password: string) => Promise<boolean> {
  if (hash.startsWith("$argon2")) return argon2Verify;
  return hash.startsWith("$2") ? verifyBcrypt : verifyScrypt;
}

/**
 * Verifies a bcrypt hash. The module is loaded on first use, since only imported accounts have
 * bcrypt hashes.
 */
async function verifyBcrypt(hash: string, password: string): Promise<boolean> {
  const bcrypt = await import("@node-rs/bcrypt");
  return bcrypt.verify(password, hash);
}
