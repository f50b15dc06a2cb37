import { parseOptions } from "@node-rs/argon2";
import { scryptWork } from "./scrypt-hash.ts";

/** Limits of one hash: this memory, and about two seconds on an older processor. */
const MAX_MEMORY_KIB = 1_048_576;
const MAX_ARGON2_WORK_KIB = 8 * 1_048_576;
const MAX_BCRYPT_COST = 15;
const MIN_BCRYPT_COST = 4;
const MAX_SCRYPT_WORK = 2 ** 22;

/**
 * Whether a password can be verified against the hash. The hash itself sets the memory and time that
 * takes, so a hash that asks for too much is not computed.
 */
export type HashVerdict = "usable" | "too-costly" | "unknown";

export function judgeHash(hash: string): HashVerdict {
  if (hash.startsWith("$argon2")) return judgeArgon2(hash);
  if (hash.startsWith("$2")) return judgeBcrypt(hash);
  if (hash.startsWith("$scrypt$")) return judgeScrypt(hash);
  return "unknown";
}

function judgeArgon2(hash: string): HashVerdict {
  try {
    const { memoryCost, timeCost } = parseOptions(hash);
    if (memoryCost > MAX_MEMORY_KIB) return "too-costly";
    return memoryCost * timeCost > MAX_ARGON2_WORK_KIB ? "too-costly" : "usable";
  } catch {
    return "unknown";
  }
}

function judgeBcrypt(hash: string): HashVerdict {
  const [, cost] = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(hash) ?? [];
  if (cost === undefined || Number(cost) < MIN_BCRYPT_COST) return "unknown";
  return Number(cost) > MAX_BCRYPT_COST ? "too-costly" : "usable";
}

function judgeScrypt(hash: string): HashVerdict {
  const work = scryptWork(hash);
  if (work === undefined) return "unknown";
  // This also limits the memory.
  return work > MAX_SCRYPT_WORK ? "too-costly" : "usable";
}
