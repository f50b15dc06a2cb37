import type { EventLog } from "../../audit/event-log.ts";
import { createAuditEvent } from "../../audit/events.ts";
import { toPublicUser, type User, type UserId } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { Client } from "../../lib/client.ts";
import type { Clock } from "../../lib/clock.ts";
import { isUsableName } from "../../lib/names.ts";
import { readAuthenticatorData } from "./attestation.ts";
import { parseCeremony } from "./ceremony.ts";
import type { Challenges } from "./challenges.ts";
import type { RelyingParty } from "./relying-party.ts";

/** One account can have at most this many passkeys. */
const MAX_PASSKEYS = 20;
/** The page uses the same limit, in characters. */
export const MAX_PASSKEY_NAME = 60;

/** Lists the services with which users manage their own passkeys. Users need a recent sign-in. */
interface PasskeyServices {
  readonly store: Pick<StoreParts, "users" | "passkeys">;
  readonly clock: Pick<Clock, "now">;
  readonly events: Pick<EventLog, "record">;
  /**
   * Must be called after each change to the codes or passkeys of an account, even if the change
   * failed.
   */
  readonly onFactorsChanged: (user: UserId) => void;
  readonly challenges: Challenges;
}

type BeginPasskeyOutcome =
  | { readonly kind: "no-user" | "too-many" }
  | {
      readonly kind: "begun";
      readonly user: User;
      readonly challenge: string;
      /**
       * Lists the IDs of the account's passkeys. An authenticator that has one of them creates no
       * other.
       */
      readonly existing: readonly string[];
    };

/**
 * Begins to add a passkey. The challenge proves to `addPasskey` that there was a recent sign-in.
 */
export async function beginPasskey(
  { store, challenges, clock }: PasskeyServices,
  userId: UserId,
): Promise<BeginPasskeyOutcome> {
  const user = await store.users.findActive(userId, new Date(clock.now()));
  if (user === undefined) return { kind: "no-user" };
  const existing = (await store.passkeys.listOf(userId)).map(({ id }) => id);
  if (existing.length >= MAX_PASSKEYS) return { kind: "too-many" };
  const challenge = challenges.issue({ addTo: userId, sessionsFrom: user.sessionsFrom });
  return { kind: "begun", user: toPublicUser(user), challenge, existing };
}

/** Describes a passkey that a browser has created. */
export interface NewPasskey {
  readonly name: string;
  /** The client data is in base64url, and so is `attestation`. */
  readonly clientData: string;
  /** The attestation object contains the authenticator data, and this contains the public key. */
  readonly attestation: string;
}

/**
 * Adds the passkey to the account of the challenge. Returns `rejected` if the response does not
 * match a challenge of this user, was sent before, or comes after all sessions of the user were
 * ended.
 */
export async function addPasskey(
  { store, challenges, events, clock, onFactorsChanged }: PasskeyServices,
  userId: UserId,
  { name, clientData, attestation }: NewPasskey,
  { party, client }: { readonly party: RelyingParty; readonly client: Client },
): Promise<"no-user" | "name-invalid" | "rejected" | "added"> {
  const user = await store.users.findActive(userId, new Date(clock.now()));
  if (user === undefined) return "no-user";
  if (!isUsableName(normalizePasskeyName(name))) return "name-invalid";
  const authenticatorData = readAuthenticatorData(attestation)?.toString("base64url") ?? "";
  const ceremony = parseCeremony({ clientData, authenticatorData }, "webauthn.create", party);
  const { sessionsFrom } = user;
  const purpose = { addTo: userId, sessionsFrom };
  const challenge = ceremony && challenges.verify(ceremony.challenge, purpose);
  if (challenge === undefined || ceremony?.created === undefined) return "rejected";
  const addedAt = new Date(clock.now());
  if (!(await store.passkeys.claimChallenge({ ...challenge, userId }, addedAt))) return "rejected";
  const { created, counter } = ceremony;
  const { id, publicKey: key } = created;
  const passkey = { id, userId, name: normalizePasskeyName(name), key, counter, addedAt };
  const adding = store.passkeys.insert(passkey, MAX_PASSKEYS, sessionsFrom);
  if (!(await adding.finally(() => onFactorsChanged(userId)))) return "rejected";
  events.record(createAuditEvent("passkey_add", { user, client }));
  return "added";
}

/** Returns the name to store. It has no surrounding white space and is never empty. */
const normalizePasskeyName = (entered: string): string => entered.trim() || "Passkey";

export async function renamePasskey(
  { store }: PasskeyServices,
  userId: UserId,
  passkey: string,
  name: string,
): Promise<"no-passkey" | "name-invalid" | "renamed"> {
  if (!isUsableName(normalizePasskeyName(name))) return "name-invalid";
  const isRenamed = await store.passkeys.rename(userId, passkey, normalizePasskeyName(name));
  return isRenamed ? "renamed" : "no-passkey";
}

/** Removes a passkey. Does nothing if the passkey does not exist or belongs to another user. */
export async function removePasskey(
  { store, events, onFactorsChanged }: PasskeyServices,
  user: User,
  passkey: string,
  client: Client,
): Promise<void> {
  const removing = store.passkeys.remove(user.id, passkey);
  if (await removing.finally(() => onFactorsChanged(user.id)))
    events.record(createAuditEvent("passkey_remove", { user, client }));
}
