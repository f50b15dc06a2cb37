import type { EventLog } from "../../audit/event-log.ts";
import { createAuditEvent } from "../../audit/events.ts";
import { insertUserRow } from "../../db/insert-user-row.ts";
import type { User, UserId } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { Seals } from "../../identity/seals.ts";
import type { Client } from "../../lib/client.ts";
import type { Clock } from "../../lib/clock.ts";
import { digestText } from "../../lib/random-text.ts";
import { getCodesPurpose } from "./check-code.ts";
import { createRecoveryCodes, hashRecoveryCode } from "./recovery-codes.ts";
import { createCodeSecret, encodeBase32, findStep } from "./totp.ts";

/** This time is long enough to install an authenticator app. */
const ENROLMENT_LIFETIME_MS = 15 * 60_000;

/**
 * Lists the services with which users manage their codes. To begin, turn off or renew codes, users
 * need a recent sign-in.
 */
interface CodesServices {
  readonly store: Pick<StoreParts, "users" | "codes">;
  readonly seals: Seals;
  readonly clock: Pick<Clock, "now">;
  readonly events: Pick<EventLog, "record">;
  /**
   * Must be called after each change to the codes or passkeys of an account, even if the change
   * failed.
   */
  readonly onFactorsChanged: (user: UserId) => void;
}

/** Contains what the user needs for the app. The secret is not stored until a code confirms it. */
export interface BegunCodes {
  /** The secret is in base32 for the app. */
  readonly secret: string;
  /**
   * Contains the secret and the time, for this account only. The form returns it with the
   * confirming code.
   */
  readonly sealed: string;
}

type BeginCodesOutcome =
  | { readonly kind: "no-user" | "already-on" }
  | { readonly kind: "begun"; readonly begun: BegunCodes };

/** Begins to turn on codes. The result proves to `confirmCodes` that there was a recent sign-in. */
export async function beginCodes(
  { store, seals, clock }: CodesServices,
  userId: UserId,
): Promise<BeginCodesOutcome> {
  // An account that has ended still has its row, so the store would not refuse it.
  const user = await store.users.findActive(userId, new Date(clock.now()));
  if (user === undefined) return { kind: "no-user" };
  const secret = createCodeSecret();
  const until = Buffer.alloc(8);
  until.writeDoubleBE(clock.now() + ENROLMENT_LIFETIME_MS);
  const sealed = seals.seal(Buffer.concat([until, secret]), getBegunPurpose(userId));
  // The store keeps the hash, so that only the last begin of an account can be confirmed.
  const insertBegun = () => store.codes.begin(userId, digestText(sealed));
  const begun = await insertUserRow(store.users, userId, insertBegun);
  if (begun !== true) return { kind: begun === "removed" ? "no-user" : "already-on" };
  return { kind: "begun", begun: { secret: encodeBase32(secret), sealed } };
}

type ConfirmCodesOutcome =
  | { readonly kind: "no-user" | "already-on" }
  /**
   * The user never began or began too long ago, or has since begun again, confirmed or turned off
   * codes.
   */
  | { readonly kind: "not-begun" }
  | { readonly kind: "code-incorrect"; readonly begun: BegunCodes }
  | { readonly kind: "on"; readonly recoveryCodes: readonly string[] };

/**
 * Turns codes on if the app creates the same codes. The confirming code is used up. On every
 * instance, only the last begin of an account can be confirmed, and only once while the store has
 * it marked.
 */
export async function confirmCodes(
  { store, seals, clock, events, onFactorsChanged }: CodesServices,
  userId: UserId,
  { sealed, code }: { readonly sealed: string; readonly code: string },
  client: Client,
): Promise<ConfirmCodesOutcome> {
  const user = await store.users.findActive(userId, new Date(clock.now()));
  if (user === undefined) return { kind: "no-user" };
  const content = seals.open(sealed, getBegunPurpose(userId));
  if (content === undefined || content.readDoubleBE() < clock.now()) return { kind: "not-begun" };
  const secret = content.subarray(8);
  const step = findStep(secret, code.replace(/\s/g, ""), clock.now(), 0);
  if (step === undefined) {
    return { kind: "code-incorrect", begun: { secret: encodeBase32(secret), sealed } };
  }
  const recoveryCodes = createRecoveryCodes();
  const codes = {
    secret: seals.seal(secret, getCodesPurpose(userId)),
    lastStep: step,
    recovery: recoveryCodes.map(hashRecoveryCode),
    wrong: 0,
  };
  const turningOn = store.codes.turnOn(userId, digestText(sealed), codes);
  if (await turningOn.finally(() => onFactorsChanged(userId))) {
    events.record(createAuditEvent("codes_on", { user, client }));
    return { kind: "on", recoveryCodes };
  }
  const isOn = (await store.codes.find(userId)) !== undefined;
  return { kind: isOn ? "already-on" : "not-begun" };
}

const getBegunPurpose = (id: UserId): string => `one-time codes begun by ${id}`;

export async function turnOffCodes(
  { store, events, onFactorsChanged }: CodesServices,
  user: User,
  client: Client,
): Promise<"already-off" | "off"> {
  const turningOff = store.codes.turnOff(user.id);
  if (!(await turningOff.finally(() => onFactorsChanged(user.id)))) return "already-off";
  events.record(createAuditEvent("codes_off", { user, client }));
  return "off";
}

/** Replaces all recovery codes, used or not. Returns `undefined` if codes are off. */
export async function renewRecoveryCodes(
  { store, events }: CodesServices,
  user: User,
  client: Client,
): Promise<readonly string[] | undefined> {
  const codes = createRecoveryCodes();
  if (!(await store.codes.renewRecovery(user.id, codes.map(hashRecoveryCode)))) return undefined;
  events.record(createAuditEvent("recovery_codes_new", { user, client }));
  return codes;
}
