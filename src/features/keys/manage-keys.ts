import { randomBytes } from "node:crypto";
import { createAuditEvent, type NewAuditEvent } from "../../audit/events.ts";
import type { Key, User } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import { type ChangeServices, changeAccount } from "../../identity/credential-cache.ts";
import { createKeyText } from "../../identity/key-text.ts";
import type { Client } from "../../lib/client.ts";
import type { Clock } from "../../lib/clock.ts";
import { Fault } from "../../lib/fault.ts";
import { normalizeHost, PLAIN_HOST } from "../../lib/host-name.ts";
import { isUsableName } from "../../lib/names.ts";
import { digestText } from "../../lib/random-text.ts";

/** Describes a new API key of a user. */
export interface AddedKey {
  readonly name: string;
  /** Lists the only hosts that the key opens. Default: all hosts that the account may open. */
  readonly hosts?: readonly string[];
  /** Sets the lifetime in seconds, or `never`. Default: one year. */
  readonly lifetime?: number | "never" | undefined;
  /**
   * With 2, the key also opens what needs a second factor, like a sign-in with a second factor.
   * Default: 1.
   */
  readonly factors?: 1 | 2 | undefined;
}

/** Contains the new API key, or says why no key was added. */
export type AddKeyOutcome =
  | { readonly kind: "name-missing" | "name-invalid" | "host-invalid" | "too-many" }
  /** Only this outcome contains the text of the key. */
  | { readonly kind: "added"; readonly key: Key; readonly text: string };

const LIFETIME_SECONDS = 365 * 86_400;
/** One account can have at most this many API keys. */
const MAX_KEYS = 100;
const ID_BYTES = 8;

interface AddKeyServices {
  readonly store: Pick<StoreParts, "keys">;
  readonly clock: Pick<Clock, "now">;
  /** Writes an audit log entry that says who made the change. */
  readonly record: (event: NewAuditEvent) => unknown;
}

export async function addKey(
  { store, clock, record }: AddKeyServices,
  user: User,
  {
    name: enteredName,
    lifetime: requestedLifetime,
    factors: requestedFactors,
    ...limits
  }: AddedKey,
  client?: Client,
): Promise<AddKeyOutcome> {
  const name = enteredName.trim();
  if (name === "") return { kind: "name-missing" };
  if (!isUsableName(name)) return { kind: "name-invalid" };
  // Plain JavaScript can pass anything, including `null` for an omitted value.
  const lifetime = requestedLifetime ?? LIFETIME_SECONDS;
  if (lifetime !== "never" && !(typeof lifetime === "number" && lifetime > 0))
    throw new Fault("invalid_option", "lifetime is invalid: expected seconds above 0, or never");
  const factors = requestedFactors ?? 1;
  if (factors !== 1 && factors !== 2)
    throw new Fault("invalid_option", "factors is invalid: expected 1 or 2");
  const hosts = limits.hosts?.map(
    (host) => (typeof host === "string" && normalizeHost(host)) || "",
  );
  const areNamed = hosts !== undefined && hosts.length > 0;
  const arePlain = areNamed && hosts.every((host) => PLAIN_HOST.test(host));
  // A key without host names would open every host, for example if the list is missing by mistake.
  if ("hosts" in limits && !arePlain) return { kind: "host-invalid" };
  const text = createKeyText();
  const createdAt = new Date(clock.now());
  const key: Key = {
    id: randomBytes(ID_BYTES).toString("hex"),
    userId: user.id,
    name,
    hash: digestText(text),
    ...(hosts && { hosts: [...new Set(hosts)] }),
    createdAt,
    ...(lifetime !== "never" && { expiresAt: new Date(createdAt.getTime() + lifetime * 1_000) }),
    ...(factors === 2 && { factors }),
  };
  if (!(await store.keys.insert(key, MAX_KEYS))) return { kind: "too-many" };
  await record(createAuditEvent("key_add", { user, client }));
  return { kind: "added", key, text };
}

interface RevokeKeyServices extends ChangeServices {
  readonly store: Pick<StoreParts, "users" | "keys">;
  /** Writes an audit log entry that says who made the change. */
  readonly record: (event: NewAuditEvent) => unknown;
}

/**
 * Revokes an API key by its ID.
 *
 * @param owner limits this to keys of this user.
 */
export async function revokeKey(
  services: RevokeKeyServices,
  id: string,
  owner?: User,
  client?: Client,
): Promise<"no-key" | "revoked"> {
  const { store, record } = services;
  const remove = () => store.keys.remove(id, owner?.id);
  const key = await changeAccount(services, owner?.id ?? "all", remove);
  if (key === undefined) return "no-key";
  const user = owner ?? (await store.users.find(key.userId));
  if (user !== undefined) await record(createAuditEvent("key_revoke", { user, client }));
  return "revoked";
}
