import type { ExtraStore } from "../accounts/account-store.ts";
import { changeExtra } from "../accounts/extras.ts";
import type { Clock } from "../base/clock.ts";
import { type Client, userRequester } from "../limits/requester.ts";
import type { EventLog } from "../log/event-log.ts";
import { eventOf } from "../log/events.ts";
import type { Passwords } from "../passwords/passwords.ts";
import type { Seals } from "../sessions/seals.ts";
import type { UserMemory } from "../sessions/user-memory.ts";
import type { Store, UserId } from "../store.ts";
import { begunMark, newCodeState, usesCodes } from "./code-state.ts";
import { base32, newCodeSecret, stepOfCode } from "./totp.ts";

/** Enough to install an app on the way. */
const BEGUN_FOR_MS = 15 * 60_000;

export interface TurnOnCodesPorts {
  readonly users: Pick<UserMemory, "forget">;
  readonly store: Pick<Store, "findUser"> & ExtraStore;
  readonly passwords: Pick<Passwords, "verify">;
  readonly seals: Seals;
  readonly clock: Pick<Clock, "now">;
  readonly events: Pick<EventLog, "record">;
}

/** What the user needs for the app. Of the key nothing is stored before a code confirms it. */
export interface BegunCodes {
  /** In base32, for the app. */
  readonly secret: string;
  /** Secret and time, for this account only: comes back with the confirming code. */
  readonly sealed: string;
}

type BeginCodesOutcome =
  | { readonly kind: "no-user" }
  | { readonly kind: "already-on" }
  | { readonly kind: "current-password-incorrect" }
  | { readonly kind: "begun"; readonly begun: BegunCodes };

export async function beginCodes(
  { store, passwords, seals, clock }: TurnOnCodesPorts,
  userId: UserId,
  currentPassword: string,
  client: Client,
): Promise<BeginCodesOutcome> {
  const user = await store.findUser(userId);
  if (user === undefined) return { kind: "no-user" };
  if (usesCodes(user.codes)) return { kind: "already-on" };
  const requester = userRequester(client, userId);
  if (!(await passwords.verify(currentPassword, user.passwordHash, requester))) {
    return { kind: "current-password-incorrect" };
  }
  const secret = newCodeSecret();
  const until = Buffer.alloc(8);
  until.writeDoubleBE(clock.now() + BEGUN_FOR_MS);
  const sealed = seals.seal(Buffer.concat([until, secret]), purposeOf(userId));
  const kind = await changeExtra(store, user, "codes", ({ codes }) =>
    usesCodes(codes)
      ? { kind: "keep", outcome: "already-on" as const }
      : { kind: "replace", by: begunMark(sealed), outcome: "begun" as const },
  );
  return kind === "begun" ? { kind, begun: { secret: base32(secret), sealed } } : { kind };
}

type ConfirmCodesOutcome =
  | { readonly kind: "no-user" }
  | { readonly kind: "already-on" }
  /** Begun too long ago or never, or begun again, confirmed or turned off since then. */
  | { readonly kind: "not-begun" }
  | { readonly kind: "code-incorrect"; readonly begun: BegunCodes }
  | { readonly kind: "on"; readonly recoveryCodes: readonly string[] };

/**
 * Turns codes on if the app makes the same ones. The confirming code is used up. Only the last begin
 * of an account can be confirmed, once and while it is marked, on every instance.
 */
export async function confirmCodes(
  ports: TurnOnCodesPorts,
  userId: UserId,
  sealed: string,
  code: string,
): Promise<ConfirmCodesOutcome> {
  const { store, users, seals, clock, events } = ports;
  const user = await store.findUser(userId);
  if (user === undefined) return { kind: "no-user" };
  const content = seals.open(sealed, purposeOf(userId));
  if (content === undefined || content.readDoubleBE() < clock.now()) return { kind: "not-begun" };
  const secret = content.subarray(8);
  const step = stepOfCode(secret, code.replace(/\s/g, ""), clock.now(), 0);
  if (step === undefined) {
    return { kind: "code-incorrect", begun: { secret: base32(secret), sealed } };
  }
  const { text, recoveryCodes } = newCodeState(seals, userId, secret, step);
  const kind = await changeExtra(store, user, "codes", ({ codes }) => {
    if (usesCodes(codes)) return { kind: "keep", outcome: "already-on" as const };
    if (codes !== begunMark(sealed)) return { kind: "keep", outcome: "not-begun" as const };
    return { kind: "replace", by: text, outcome: "on" as const };
  });
  users.forget(userId);
  if (kind !== "on") return { kind };
  events.record(eventOf("codes_on", user.username, userId));
  return { kind, recoveryCodes };
}

const purposeOf = (id: UserId): string => `one-time codes begun by ${id}`;
