import { type BinaryLike, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { parseOptions } from "@node-rs/argon2";
import { tryCall } from "../lib/fault.ts";

/** One hash may take at most this memory, and about two seconds on an older processor. */
const MAX_MEMORY_KIB = 1_048_576;
const MAX_ARGON2_WORK_KIB = 8 * 1_048_576;
const MAX_BCRYPT_COST = 15;
const MIN_BCRYPT_COST = 4;
const MAX_SCRYPT_WORK = 2 ** 22;

/**
 * Tells whether a password can be verified against the hash. The hash itself sets the memory and
 * time of the verification, so a hash that would take too much is not computed.
 */
export type HashVerdict = "usable" | "too-costly" | "unknown";

export function judgeHash(hash: string): HashVerdict {
  if (hash.startsWith("$argon2")) return judgeArgon2(hash);
  if (hash.startsWith("$2")) return judgeBcrypt(hash);
  if (hash.startsWith("$scrypt$")) return judgeScrypt(hash);
  return "unknown";
}

function judgeArgon2(hash: string): HashVerdict {
  const options = tryCall(() => parseOptions(hash));
  if (options === undefined) return "unknown";
  const { memoryCost, timeCost } = options;
  if (memoryCost > MAX_MEMORY_KIB) return "too-costly";
  return memoryCost * timeCost > MAX_ARGON2_WORK_KIB ? "too-costly" : "usable";
}

function judgeBcrypt(hash: string): HashVerdict {
  const [, cost] = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(hash) ?? [];
  if (cost === undefined || Number(cost) < MIN_BCRYPT_COST) return "unknown";
  return Number(cost) > MAX_BCRYPT_COST ? "too-costly" : "usable";
}

function judgeScrypt(hash: string): HashVerdict {
  const parsed = parseScrypt(hash);
  if (parsed === undefined) return "unknown";
  // The limit also bounds the memory: each unit takes an eighth of a KiB.
  return parsed.N * parsed.r * parsed.p > MAX_SCRYPT_WORK ? "too-costly" : "usable";
}

/** The pattern matches `$scrypt$ln=…,r=…,p=…$salt$digest`, the PHC string format for scrypt. */
const SCRYPT =
  /^\$scrypt\$ln=([1-9]\d?),r=([1-9]\d{0,8}),p=([1-9]\d{0,8})\$([A-Za-z0-9+/]{1,256}={0,2})\$([A-Za-z0-9+/]{22,256}={0,2})$/;

/**
 * Converts `salt:key` in hexadecimal, as better-auth stores scrypt, to a PHC string. The text does
 * not name its parameters, and the text of the salt is the salt. Any other hash stays as it is.
 */
export function toPhcString(hash: string): string {
  const [, salt, key] = /^([\da-f]{32}):([\da-f]{128})$/.exec(hash) ?? [];
  if (salt === undefined || key === undefined) return hash;
  const [saltText, digest] = [Buffer.from(salt), Buffer.from(key, "hex")];
  return `$scrypt$ln=14,r=16,p=1$${saltText.toString("base64")}$${digest.toString("base64")}`;
}

function parseScrypt(hash: string) {
  const [, ln, r, p, salt, digest] = SCRYPT.exec(hash) ?? [];
  if (salt === undefined || digest === undefined) return undefined;
  return {
    N: 2 ** Number(ln),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, "base64"),
    digest: Buffer.from(digest, "base64"),
  };
}

/** Runs scrypt on a libuv thread, so that it does not block the event loop. */
const deriveScrypt = promisify<BinaryLike, BinaryLike, number, ScryptOptions, Buffer>(scrypt);

export async function verifyScrypt(hash: string, password: string): Promise<boolean> {
  const parsed = parseScrypt(hash);
  if (parsed === undefined) return false;
  const { N, r, p, salt, digest } = parsed;
  // OpenSSL needs this much memory. `judgeHash` has already refused too costly hashes.
  const maxmem = 128 * r * (N + p + 2) + 1024;
  const computed = await deriveScrypt(password, salt, digest.length, { N, r, p, maxmem });
  return timingSafeEqual(computed, digest);
}
