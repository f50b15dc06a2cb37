import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type JsonWebKeyInput,
} from "node:crypto";
import { promisify } from "node:util";
import { createAuditEvent, type NewAuditEvent } from "../../audit/events.ts";
import type { SigningAlgorithm, SigningKey } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { Seals } from "../../identity/seals.ts";
import type { Clock } from "../../lib/clock.ts";
import { Fault } from "../../lib/fault.ts";
import { parseJsonObject } from "../../lib/json.ts";
import { digestText } from "../../lib/random-text.ts";

const DAY_MS = 86_400_000;
/** A key signs for this long, and then another one takes its place. */
const ROTATE_AFTER_MS = 90 * DAY_MS;
/** A replaced key verifies for this long: longer than any token that it has signed. */
const KEEP_MS = 30 * DAY_MS;

/** Contains a private key as a JSON Web Key, with its ID and algorithm. */
export interface SigningJwk {
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  readonly use: "sig";
  readonly kty?: string;
}

export interface SigningKeyServices {
  readonly store: Pick<StoreParts, "signingKeys">;
  readonly clock: Pick<Clock, "now">;
  readonly seals: Seals;
  /** Writes an audit log entry that says who made the change. */
  readonly record: (event: NewAuditEvent) => unknown;
}

/**
 * Reads the private keys, the newest of each algorithm first. Makes them at first use, and again
 * when they are too old.
 *
 * @throws {Fault} `keys_sealed` if none of the secrets opens a key: a new one in its place would
 * make every app refuse what was signed.
 */
export async function readSigningKeys(
  services: SigningKeyServices,
): Promise<readonly SigningJwk[]> {
  const { store, clock } = services;
  const stored = await store.signingKeys.list();
  const oldest = clock.now() - ROTATE_AFTER_MS;
  if (!isAnySigning(stored, new Date(oldest))) {
    await makeKeys(services, new Date(oldest));
    return openKeys(services, await store.signingKeys.list());
  }
  return openKeys(services, stored);
}

/** Makes new keys. The replaced keys still verify what they have signed. */
export async function rotateSigningKeys(services: SigningKeyServices): Promise<void> {
  await makeKeys(services, new Date(services.clock.now() + 1));
}

const isAnySigning = (keys: readonly SigningKey[], since: Date): boolean =>
  keys.some(({ createdAt, replacedAt }) => replacedAt === undefined && createdAt >= since);

/** Makes a key for each algorithm, unless another process has made keys since then. */
async function makeKeys(
  { store, clock, seals, record }: SigningKeyServices,
  since: Date,
): Promise<void> {
  const now = clock.now();
  const keys = await Promise.all([makeKey(seals, "RS256", now), makeKey(seals, "ES256", now)]);
  const removeBefore = new Date(now - KEEP_MS);
  if (await store.signingKeys.insert(keys, { since, removeBefore }))
    await record(createAuditEvent("app_keys", {}));
}

const generate = promisify(generateKeyPair);

async function makeKey(
  seals: Seals,
  algorithm: SigningAlgorithm,
  now: number,
): Promise<SigningKey> {
  const { privateKey } =
    algorithm === "RS256"
      ? await generate("rsa", { modulusLength: 2_048 })
      : await generate("ec", { namedCurve: "P-256" });
  const jwk = privateKey.export({ format: "jwk" });
  const id = computeThumbprint(createPublicKey(privateKey).export({ format: "jwk" }));
  const sealed = seals.seal(Buffer.from(JSON.stringify(jwk)), describePurpose(id));
  return { id, algorithm, sealed, createdAt: new Date(now) };
}

type Jwk = JsonWebKeyInput["key"];

/** Computes the thumbprint of RFC 7638: the required members in alphabetic order. */
function computeThumbprint({ crv, e, kty, n, x, y }: Jwk): string {
  const members = kty === "RSA" ? { e, kty, n } : { crv, kty, x, y };
  return digestText(JSON.stringify(members));
}

const describePurpose = (id: string): string => `signing key ${id}`;

function openKeys(
  { seals }: SigningKeyServices,
  stored: readonly SigningKey[],
): readonly SigningJwk[] {
  const newestFirst = stored.toReversed();
  return newestFirst.map(({ id, algorithm, sealed }) => {
    const opened = seals.open(sealed, describePurpose(id));
    if (opened === undefined) {
      throw new Fault(
        "keys_sealed",
        "the signing keys were sealed with another AUTH_SECRET: add that secret to AUTH_SECRET_PREVIOUS",
      );
    }
    const jwk = parseJsonObject(opened.toString("utf8"));
    const key = createPrivateKey({ key: jwk as Jwk, format: "jwk" });
    return { ...key.export({ format: "jwk" }), kid: id, alg: algorithm, use: "sig" };
  });
}
