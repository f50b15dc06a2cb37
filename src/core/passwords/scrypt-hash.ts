import { type BinaryLike, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

/** `$scrypt$ln=…,r=…,p=…$salt$digest`, the PHC string format for scrypt. */
const FORM =
  /^\$scrypt\$ln=([1-9]\d?),r=([1-9]\d{0,8}),p=([1-9]\d{0,8})\$([A-Za-z0-9+/]{1,256}={0,2})\$([A-Za-z0-9+/]{22,256}={0,2})$/;

/**
 * The PHC string for `salt:key` in hexadecimal, as better-auth stores scrypt: with parameters that
 * the text does not name, and with the text of the salt as salt. Any other hash stays as it is.
 */
export function withParameters(hash: string): string {
  const [, salt, key] = /^([\da-f]{32}):([\da-f]{128})$/.exec(hash) ?? [];
  if (salt === undefined || key === undefined) return hash;
  const [saltText, digest] = [Buffer.from(salt), Buffer.from(key, "hex")];
  return `$scrypt$ln=14,r=16,p=1$${saltText.toString("base64")}$${digest.toString("base64")}`;
}

function parse(hash: string) {
  const [, ln, r, p, salt, digest] = FORM.exec(hash) ?? [];
  if (salt === undefined || digest === undefined) return undefined;
  return {
    log2N: Number(ln),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, "base64"),
    digest: Buffer.from(digest, "base64"),
  };
}

/** The work to verify the hash, an eighth of a KiB of memory each; `undefined` for another form. */
export function scryptWork(hash: string): number | undefined {
  const parsed = parse(hash);
  return parsed && 2 ** parsed.log2N * parsed.r * parsed.p;
}

/** Runs on a libuv thread and does not block the event loop. */
const derive = promisify<BinaryLike, BinaryLike, number, ScryptOptions, Buffer>(scrypt);

export async function verifyScrypt(hash: string, password: string): Promise<boolean> {
  const parsed = parse(hash);
  if (parsed === undefined) return false;
  const { log2N, r, p, salt, digest } = parsed;
  const N = 2 ** log2N;
  // What OpenSSL needs. `judgeHash` has already refused too costly hashes.
  const maxmem = 128 * r * (N + p + 2) + 1024;
  const found = await derive(password, salt, digest.length, { N, r, p, maxmem });
  return timingSafeEqual(found, digest);
}
