import { changeExtra, type ExtraChange, type ExtraChangePorts } from "../accounts/extras.ts";
import type { Clock } from "../base/clock.ts";
import type { EventLog } from "../log/event-log.ts";
import { eventOf } from "../log/events.ts";
import type { UserId } from "../store.ts";
import { MAX_PASSKEYS } from "./begin-passkey.ts";
import { type BrowserAnswer, readCeremony } from "./ceremony.ts";
import type { Challenges } from "./challenges.ts";
import { canonicalKey } from "./key.ts";
import { passkeysIn, rememberAnswer, textOf } from "./passkey.ts";
import type { RelyingParty } from "./relying-party.ts";

interface AddPasskeyPorts {
  readonly store: ExtraChangePorts;
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

/** `rejected` for an answer that is not to a challenge of this user, or that was given before. */
type AddPasskeyOutcome = "no-user" | "rejected" | "added";

const MAX_NAME_LENGTH = 60;

/** Adds the passkey to the account that the challenge was issued for. */
export async function addPasskey(
  { store, challenges, events, clock }: AddPasskeyPorts,
  userId: UserId,
  { name, publicKey, ...answer }: NewPasskey,
  party: RelyingParty,
): Promise<AddPasskeyOutcome> {
  const user = await store.findUser(userId);
  if (user === undefined) return "no-user";
  const ceremony = readCeremony(answer, "webauthn.create", party);
  const challenge = ceremony && challenges.verify(ceremony.challenge, { addTo: userId });
  if (challenge === undefined || ceremony?.createdId === undefined) return "rejected";
  const key = canonicalKey(publicKey);
  if (key === undefined) return "rejected";
  const added = {
    id: ceremony.createdId,
    name: [...name.trim()].slice(0, MAX_NAME_LENGTH).join("") || "Passkey",
    key,
    counter: ceremony.counter,
    addedAt: clock.now(),
    usedAt: undefined,
    answered: rememberAnswer([], challenge, clock.now()),
  };
  const outcome = await changeExtra(
    store,
    user,
    "passkeys",
    ({ passkeys: text }): ExtraChange<"rejected" | "added"> => {
      const passkeys = passkeysIn(text);
      const isTaken = passkeys.some(
        ({ id, answered }) =>
          id === added.id || answered.some(({ nonce }) => nonce === challenge.nonce),
      );
      if (isTaken || passkeys.length >= MAX_PASSKEYS) return { kind: "keep", outcome: "rejected" };
      return { kind: "replace", by: textOf([...passkeys, added]), outcome: "added" };
    },
  );
  if (outcome === "added") events.record(eventOf("passkey_add", user.username, userId));
  return outcome;
}
