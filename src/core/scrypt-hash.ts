import { type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";

/** The fields of `$scrypt$ln=…,r=…,p=…$salt$digest`, the PHC string format for scrypt. */
export interface ScryptHash {
  readonly log2N: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Buffer;
  readonly digest: Buffer;
}

const FORM =
  /^\$scrypt\$ln=([1-9]\d?),r=([1-9]\d{0,8}),p=([1-9]\d{0,8})\$([A-Za-z0-9+/]{1,256}={0,2})\$([A-Za-z0-9+/]{22,256}={0,2})$/;

export function parseScrypt(hash: string): ScryptHash | undefined {
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

export async function verifyScrypt(hash: string, password: string): Promise<boolean> {
  const parsed = parseScrypt(hash);
  if (parsed === undefined) return false;
  const { log2N, r, p, salt, digest } = parsed;
  const N = 2 ** log2N;
  // What OpenSSL needs. `judgeHash` has already refused too costly hashes.
  const maxmem = 128 * r * (N + p + 2) + 1024;
  const found = await derive(password, salt, digest.length, { N, r, p, maxmem });
  return timingSafeEqual(found, digest);
}

/** Runs on a libuv thread and does not block the event loop. */
function derive(
  password: string,
  salt: Buffer,
  length: number,
  options: ScryptOptions,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, length, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
