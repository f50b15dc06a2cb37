import { hash as argon2Hash, verify as argon2Verify } from "@node-rs/argon2";
import { Fault } from "./fault.ts";
import type { WorkMeter } from "./meter.ts";
import { judgeHash } from "./password-cost.ts";
import { OPERATOR } from "./requester.ts";
import { verifyScrypt } from "./scrypt-hash.ts";
import type { ServerLog } from "./server-log.ts";
import type { PasswordHash } from "./store.ts";
import { createWorkQueue, type Requester, type WorkQueueLimits } from "./work-queue.ts";

/** OWASP's first choice for argon2id where memory is not scarce: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const CURRENT_FORM = `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$`;

/** A salt and a digest of nothing but zeros: nobody knows a password for it, and none is accepted. */
const NOBODYS_HASH = `${CURRENT_FORM}${"A".repeat(22)}$${"A".repeat(43)}`;

/** `requester` is who waits for the result. */
export interface Passwords {
  hash(password: string, requester?: Requester): Promise<PasswordHash>;
  /**
   * Costs the same for an unknown user (`undefined`) as for one whose hash is of the current form,
   * and for one whose hash would cost too much: that is no match, whatever the password.
   */
  verify(password: string, hash: PasswordHash | undefined, requester?: Requester): Promise<boolean>;
  /** Whether the hash is of another algorithm or cost than those of new ones. */
  isOutdated(hash: PasswordHash): boolean;
}

/**
 * Every call may throw `Unavailable` when more of them wait than `limits` allows in all or for one
 * requester, and the fault `client_gone` when the requester's client has disconnected.
 */
export function createPasswords(
  limits: WorkQueueLimits,
  log?: Pick<ServerLog, "warn">,
  meter?: WorkMeter,
): Passwords {
  const queued = createWorkQueue(limits, meter);

  return {
    hash: (password, requester = OPERATOR) =>
      queued(requester, async () => (await argon2Hash(password, COST)) as PasswordHash),

    verify: (password, hash, requester = OPERATOR) =>
      queued(requester, async () => {
        const tooCostly = hash !== undefined && judgeHash(hash) === "too-costly";
        if (tooCostly) log?.warn({}, TOO_COSTLY);
        if (hash !== undefined && !tooCostly) return verifierOf(hash)(hash, password);
        await argon2Verify(NOBODYS_HASH, password);
        return false;
      }),

    isOutdated: (hash) => !hash.startsWith(CURRENT_FORM),
  };
}

const TOO_COSTLY =
  "a sign-in was refused: the stored password hash would take too much memory or time; set that account's password anew";

function verifierOf(hash: PasswordHash): (hash: string, password: string) => Promise<boolean> {
  if (hash.startsWith("$argon2")) return argon2Verify;
  if (hash.startsWith("$2")) return bcryptVerify;
  if (hash.startsWith("$scrypt$")) return verifyScrypt;
  throw new Fault("unknown_password_hash", "the stored password hash is of an unknown kind");
}

/** Loaded on first need: only accounts that were imported from elsewhere have such hashes. */
async function bcryptVerify(hash: string, password: string): Promise<boolean> {
  const bcrypt = await import("@node-rs/bcrypt");
  return bcrypt.verify(password, hash);
}
