import type { User, UserId } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { Client } from "../base/client.ts";
import type { Clock } from "../base/clock.ts";
import { hashOf } from "../base/random-text.ts";
import type { EventLog } from "../log/event-log.ts";
import { eventOf } from "../log/events.ts";
import { insertFor } from "../sessions/insert-for.ts";
import type { Seals } from "../sessions/seals.ts";
import { purposeOf } from "./check-code.ts";
import { newRecoveryCodes, recoveryHash } from "./recovery-codes.ts";
import { base32, newCodeSecret, stepOfCode } from "./totp.ts";

/** Enough to install an app on the way. */
const BEGUN_FOR_MS = 15 * 60_000;

/** What users do with their own codes: begin, turn off and renew only for a recent sign-in. */
interface CodePorts {
  readonly store: Pick<StoreParts, "users" | "codes">;
  readonly seals: Seals;
  readonly clock: Pick<Clock, "now">;
  readonly events: Pick<EventLog, "record">;
  /** Must be called after a change of the codes or passkeys of an account, even one that failed. */
  readonly factorsChanged: (user: UserId) => void;
}

/** What the user needs for the app. Of the key nothing is stored before a code confirms it. */
export interface BegunCodes {
  /** In base32, for the app. */
  readonly secret: string;
  /** Secret and time, for this account only: comes back with the confirming code. */
  readonly sealed: string;
}

type BeginCodesOutcome =
  | { readonly kind: "no-user" | "already-on" }
  | { readonly kind: "begun"; readonly begun: BegunCodes };

/** What it returns proves to `confirmCodes` that there was a recent sign-in. */
export async function beginCodes(
  { store, seals, clock }: CodePorts,
  userId: UserId,
): Promise<BeginCodesOutcome> {
  // An account that has ended still has its row, so the store would not refuse it.
  const user = await store.users.findActive(userId, new Date(clock.now()));
  if (user === undefined) return { kind: "no-user" };
  const secret = newCodeSecret();
  const until = Buffer.alloc(8);
  until.writeDoubleBE(clock.now() + BEGUN_FOR_MS);
  const sealed = seals.seal(Buffer.concat([until, secret]), begunPurposeOf(userId));
  // The store keeps the hash, so that only the last begin of an account can be confirmed.
  const beginning = () => store.codes.begin(userId, hashOf(sealed));
  const begun = await insertFor(store.users, userId, beginning);
  if (begun !== true) return { kind: begun === "removed" ? "no-user" : "already-on" };
  return { kind: "begun", begun: { secret: base32(secret), sealed } };
}

type ConfirmCodesOutcome =
  | { readonly kind: "no-user" | "already-on" }
  /** Begun too long ago or never, or begun again, confirmed or turned off since then. */
  | { readonly kind: "not-begun" }
  | { readonly kind: "code-incorrect"; readonly begun: BegunCodes }
  | { readonly kind: "on"; readonly recoveryCodes: readonly string[] };

/**
 * Turns codes on if the app makes the same ones. The confirming code is used up. Only the last begin
 * of an account can be confirmed, once and while it is marked, on every instance.
 */
export async function confirmCodes(
  { store, seals, clock, events, factorsChanged }: CodePorts,
  userId: UserId,
  { sealed, code }: { readonly sealed: string; readonly code: string },
  client: Client,
): Promise<ConfirmCodesOutcome> {
  const user = await store.users.findActive(userId, new Date(clock.now()));
  if (user === undefined) return { kind: "no-user" };
  const content = seals.open(sealed, begunPurposeOf(userId));
  if (content === undefined || content.readDoubleBE() < clock.now()) return { kind: "not-begun" };
  const secret = content.subarray(8);
  const step = stepOfCode(secret, code.replace(/\s/g, ""), clock.now(), 0);
  if (step === undefined) {
    return { kind: "code-incorrect", begun: { secret: base32(secret), sealed } };
  }
  const recoveryCodes = newRecoveryCodes();
  const codes = {
    secret: seals.seal(secret, purposeOf(userId)),
    lastStep: step,
    recovery: recoveryCodes.map(recoveryHash),
    wrong: 0,
  };
  const turningOn = store.codes.turnOn(userId, hashOf(sealed), codes);
  if (await turningOn.finally(() => factorsChanged(userId))) {
    events.record(eventOf("codes_on", { user, client }));
    return { kind: "on", recoveryCodes };
  }
  const isOn = (await store.codes.find(userId)) !== undefined;
  return { kind: isOn ? "already-on" : "not-begun" };
}

const begunPurposeOf = (id: UserId): string => `one-time codes begun by ${id}`;

export async function turnOffCodes(
  { store, events, factorsChanged }: CodePorts,
  user: User,
  client: Client,
): Promise<"already-off" | "off"> {
  const turningOff = store.codes.turnOff(user.id);
  if (!(await turningOff.finally(() => factorsChanged(user.id)))) return "already-off";
  events.record(eventOf("codes_off", { user, client }));
  return "off";
}

/** Replaces the recovery codes, used or not. `undefined` without codes. */
export async function renewRecoveryCodes(
  { store, events }: CodePorts,
  user: User,
  client: Client,
): Promise<readonly string[] | undefined> {
  const codes = newRecoveryCodes();
  if (!(await store.codes.renewRecovery(user.id, codes.map(recoveryHash)))) return undefined;
  events.record(eventOf("recovery_codes_new", { user, client }));
  return codes;
}
