import { parseOptions } from "@node-rs/argon2";
import { parseScrypt } from "./scrypt-hash.ts";

/** One hash may take so much memory, and about two seconds of a processor from some years ago. */
const MOST_MEMORY_KIB = 1_048_576;
const MOST_ARGON2_WORK_KIB = 8 * 1_048_576;
const MOST_BCRYPT_COST = 15;
const LEAST_BCRYPT_COST = 4;
const MOST_SCRYPT_WORK = 2 ** 22;

/**
 * Whether a password can be verified against the hash. What is in a stored hash decides how much
 * memory and time that takes: one that asks for too much is not computed.
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
    if (memoryCost > MOST_MEMORY_KIB) return "too-costly";
    return memoryCost * timeCost > MOST_ARGON2_WORK_KIB ? "too-costly" : "usable";
  } catch {
    return "unknown";
  }
}

function judgeBcrypt(hash: string): HashVerdict {
  const [, cost] = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(hash) ?? [];
  if (cost === undefined || Number(cost) < LEAST_BCRYPT_COST) return "unknown";
  return Number(cost) > MOST_BCRYPT_COST ? "too-costly" : "usable";
}

function judgeScrypt(hash: string): HashVerdict {
  const parsed = parseScrypt(hash);
  if (parsed === undefined) return "unknown";
  const { log2N, r, p } = parsed;
  // The work bounds the memory, too: an eighth of a KiB for each unit of it.
  return 2 ** log2N * r * p > MOST_SCRYPT_WORK ? "too-costly" : "usable";
}
