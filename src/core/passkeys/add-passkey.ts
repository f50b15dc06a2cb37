import type { Clock } from "../base/clock.ts";
import type { Client } from "../limits/requester.ts";
import type { EventLog } from "../log/event-log.ts";
import { eventOf } from "../log/events.ts";
import type { UserId } from "../records.ts";
import type { PasskeyStore, UserStore } from "../store.ts";
import { MAX_PASSKEYS } from "./begin-passkey.ts";
import { type BrowserAnswer, readCeremony } from "./ceremony.ts";
import type { Challenges } from "./challenges.ts";
import { canonicalKey } from "./key.ts";
import type { RelyingParty } from "./relying-party.ts";
import { passkeyName } from "./rename-passkey.ts";

interface AddPasskeyPorts {
  readonly store: { readonly users: Pick<UserStore, "find">; readonly passkeys: PasskeyStore };
  readonly challenges: Challenges;
  readonly events: Pick<EventLog, "record">;
  readonly clock: Pick<Clock, "now">;
}

/** A passkey that a browser has created. */
export interface NewPasskey extends BrowserAnswer {
  readonly name: string;
  /** As SubjectPublicKeyInfo, in base64url. */
  readonly publicKey: string;
}

/**
 * `rejected` for an answer that is not to a challenge of this user, or that was given before, or after
 * all sessions of the user have ended.
 */
type AddPasskeyOutcome = "no-user" | "rejected" | "added";

/** Adds the passkey to the account that the challenge was issued for. */
export async function addPasskey(
  { store, challenges, events, clock }: AddPasskeyPorts,
  userId: UserId,
  { name, publicKey, ...answer }: NewPasskey,
  { party, client }: { readonly party: RelyingParty; readonly client: Client },
): Promise<AddPasskeyOutcome> {
  const user = await store.users.find(userId);
  if (user === undefined) return "no-user";
  const ceremony = readCeremony(answer, "webauthn.create", party);
  const { sessionsFrom } = user;
  const purpose = { addTo: userId, sessionsFrom };
  const challenge = ceremony && challenges.verify(ceremony.challenge, purpose);
  if (challenge === undefined || ceremony?.createdId === undefined) return "rejected";
  const key = canonicalKey(publicKey);
  if (key === undefined) return "rejected";
  const addedAt = new Date(clock.now());
  if (!(await store.passkeys.answer({ ...challenge, userId }, addedAt))) return "rejected";
  const added = {
    id: ceremony.createdId,
    userId,
    name: passkeyName(name),
    key,
    counter: ceremony.counter,
    addedAt,
  };
  if (!(await store.passkeys.insert(added, MAX_PASSKEYS, sessionsFrom))) return "rejected";
  events.record(eventOf("passkey_add", { user, client }));
  return "added";
}
