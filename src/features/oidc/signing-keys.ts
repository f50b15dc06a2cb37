import {
  createPublicKey,
  generateKeyPair,
  type JsonWebKeyInput,
  type KeyObject,
} from "node:crypto";
import { promisify } from "node:util";
import { createAuditEvent, type NewAuditEvent } from "../../audit/events.ts";
import type { KeyAlgorithm, SigningKey } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { Seals } from "../../identity/seals.ts";
import type { Clock } from "../../lib/clock.ts";
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
  readonly alg: KeyAlgorithm;
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
 * Reads the private keys, newest first. Makes them at first use, and again when they are too old.
 * Keys that were sealed with another secret count as missing: after a change of the secret, all
 * sessions have ended, and what the keys have signed ends with them.
 */
export async function readSigningKeys(
  services: SigningKeyServices,
): Promise<readonly SigningJwk[]> {
  const { store, clock } = services;
  const since = new Date(clock.now() - ROTATE_AFTER_MS);
  const stored = await store.signingKeys.list();
  const opened = openKeys(services, stored);
  const isOpen = ({ id }: SigningKey) => opened.some(({ kid }) => kid === id);
  const isCurrent = (key: SigningKey) => key.replacedAt === undefined && key.createdAt >= since;
  if (stored.some((key) => isCurrent(key) && isOpen(key))) return opened;
  await makeKeys(
    services,
    since,
    stored.filter((key) => !isOpen(key)).map(({ id }) => id),
  );
  return openKeys(services, await store.signingKeys.list());
}

/**
 * Replaces the keys. The instance that signs next makes new ones, so that they are sealed with its
 * secret. The replaced keys still verify what they have signed.
 */
export async function rotateSigningKeys({
  store,
  clock,
  record,
}: Omit<SigningKeyServices, "seals">): Promise<"rotated" | "no-keys"> {
  if (!(await store.signingKeys.replace(new Date(clock.now())))) return "no-keys";
  await record(createAuditEvent("app_keys", {}));
  return "rotated";
}

/** Returns the public parts, as apps read them. */
export const toPublicKeys = (keys: readonly SigningJwk[]): readonly object[] =>
  keys.map(({ kid, alg, use, ...key }) => ({
    ...createPublicKey({ key: { ...key }, format: "jwk" }).export({ format: "jwk" }),
    kid,
    alg,
    use,
  }));

/** Returns the newest key of an algorithm. */
export function selectKey(keys: readonly SigningJwk[], algorithm: KeyAlgorithm): SigningJwk {
  const key = keys.find(({ alg }) => alg === algorithm);
  if (key === undefined) throw new Error(`there is no ${algorithm} key`);
  return key;
}

const ALGORITHMS: readonly KeyAlgorithm[] = ["RS256", "ES256", "EdDSA"];

/** Makes a key for each algorithm, unless another process has made keys since then. */
async function makeKeys(
  { store, clock, seals }: SigningKeyServices,
  since: Date,
  ignored: readonly string[],
): Promise<void> {
  const now = clock.now();
  const keys = await Promise.all(ALGORITHMS.map((algorithm) => makeKey(seals, algorithm, now)));
  const removeBefore = new Date(now - KEEP_MS);
  await store.signingKeys.insert(keys, { since, removeBefore, ignored });
}

const generate = promisify(generateKeyPair);

function generateKey(
  algorithm: KeyAlgorithm,
): Promise<{ readonly privateKey: KeyObject; readonly publicKey: KeyObject }> {
  switch (algorithm) {
    case "RS256":
      return generate("rsa", { modulusLength: 2_048 });
    case "ES256":
      return generate("ec", { namedCurve: "P-256" });
    case "EdDSA":
      return generate("ed25519");
  }
}

async function makeKey(seals: Seals, algorithm: KeyAlgorithm, now: number): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKey(algorithm);
  const id = computeThumbprint(publicKey.export({ format: "jwk" }));
  const jwk = JSON.stringify(privateKey.export({ format: "jwk" }));
  const sealed = seals.seal(Buffer.from(jwk), describePurpose(id));
  return { id, algorithm, sealed, createdAt: new Date(now) };
}

type Jwk = JsonWebKeyInput["key"];

/** Computes the thumbprint of RFC 7638: the required members in alphabetic order. */
function computeThumbprint({ crv, e, kty, n, x, y }: Jwk): string {
  // JSON leaves out the members that a type of key does not have.
  return digestText(JSON.stringify(kty === "RSA" ? { e, kty, n } : { crv, kty, x, y }));
}

const describePurpose = (id: string): string => `signing key ${id}`;

/** Opens the keys that one of the secrets has sealed, newest first. */
const openKeys = (
  { seals }: SigningKeyServices,
  stored: readonly SigningKey[],
): readonly SigningJwk[] =>
  stored.toReversed().flatMap(({ id, algorithm, sealed }) => {
    const opened = seals.open(sealed, describePurpose(id));
    const jwk = opened && parseJsonObject(opened.toString("utf8"));
    if (jwk === undefined) return [];
    return [{ ...jwk, kid: id, alg: algorithm, use: "sig" as const }];
  });
