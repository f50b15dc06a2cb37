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

/** Of one account. */
const MAX_PASSKEYS = 20;
/** In characters, as the page takes it. */
export const MAX_PASSKEY_NAME = 60;

/** What users do with their own passkeys. All of it is only for a recent sign-in. */
interface PasskeyServices {
  readonly store: Pick<StoreParts, "users" | "passkeys">;
  readonly clock: Pick<Clock, "now">;
  readonly events: Pick<EventLog, "record">;
  /** Must be called after a change of the codes or passkeys of an account, even one that failed. */
  readonly onFactorsChanged: (user: UserId) => void;
  readonly challenges: Challenges;
}

type BeginPasskeyOutcome =
  | { readonly kind: "no-user" | "too-many" }
  | {
      readonly kind: "begun";
      readonly user: User;
      readonly challenge: string;
      /** The IDs of the account's passkeys: an authenticator that has one makes no other. */
      readonly existing: readonly string[];
    };

/** The challenge proves to `addPasskey` that there was a recent sign-in. */
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

/** A passkey that a browser has created. */
export interface NewPasskey {
  readonly name: string;
  /** In base64url, as is the next one. */
  readonly clientData: string;
  /** The attestation object, which has the authenticator data and in it the public key. */
  readonly attestation: string;
}

/**
 * Adds the passkey to the account that the challenge was issued for. `rejected` for an answer that is
 * not to a challenge of this user, or that was given before, or after all sessions of the user have
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
  if (!(await store.passkeys.answer({ ...challenge, userId }, addedAt))) return "rejected";
  const { created, counter } = ceremony;
  const { id, publicKey: key } = created;
  const passkey = { id, userId, name: normalizePasskeyName(name), key, counter, addedAt };
  const adding = store.passkeys.insert(passkey, MAX_PASSKEYS, sessionsFrom);
  if (!(await adding.finally(() => onFactorsChanged(userId)))) return "rejected";
  events.record(createAuditEvent("passkey_add", { user, client }));
  return "added";
}

/** A name as it is stored: without space around it, and never empty. */
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

/** Does nothing if the passkey is gone already, or another user's. */
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
