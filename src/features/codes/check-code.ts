import { setTimeout as sleep } from "node:timers/promises";
import type { EventLog } from "../../audit/event-log.ts";
import { createAuditEvent, type EventType } from "../../audit/events.ts";
import type { Codes, User, UserId } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { AttemptLimiter } from "../../identity/attempt-limiter.ts";
import type { Seals } from "../../identity/seals.ts";
import type { Client } from "../../lib/client.ts";
import type { Clock } from "../../lib/clock.ts";
import { getErrorMessage } from "../../lib/fault.ts";
import type { ServerLog } from "../../lib/server-log.ts";
import { hashRecoveryCode } from "./recovery-codes.ts";
import { findStep } from "./totp.ts";

/**
 * After this many consecutive wrong codes, the account's codes are locked. Until then, guessing
 * succeeds with a probability of 0.03 %.
 */
const MAX_WRONG_CODES = 100;
/**
 * This delay lets the response to a wrong code leave first, because an SQLite write blocks the
 * event loop.
 */
const WRITE_DELAY_MS = 20;

export interface CheckCodeServices {
  readonly store: Pick<StoreParts, "codes">;
  readonly seals: Seals;
  readonly clock: Pick<Clock, "now">;
  /**
   * Limits the codes of one account, regardless of the client address. It counts in the memory of
   * this process, because the time of a query would reveal that the password was right.
   */
  readonly codeLimiter: Pick<AttemptLimiter, "attempt">;
  readonly events: Pick<EventLog, "record">;
  readonly log: ServerLog;
}

/** Contains the user who signs in, and the account's codes if they are on. */
export interface CodeHolder {
  readonly user: User;
  readonly codes: Codes | undefined;
}

/**
 * Checks the code of an account after its password, and uses the code up. An account without codes
 * needs none. Of concurrent requests with the same code, only one is accepted.
 */
export async function checkCode(
  { store: { codes: store }, seals, clock, codeLimiter, events, log }: CheckCodeServices,
  { user, codes }: CodeHolder,
  entered: string,
  client: Client,
): Promise<"not-needed" | "accepted" | "rejected"> {
  if (codes === undefined) return "not-needed";
  if (entered === "") return "rejected";
  const { id } = user;
  if (codeLimiter.attempt(id) === "denied") return "rejected";
  const verdict = judgeCode(seals, { id, codes }, entered, clock.now());
  const record = (type: EventType) => events.record(createAuditEvent(type, { user, client }));

  /** Counts a wrong code, and logs a secret that cannot be read. Both happen after the response. */
  async function recordRejection(codeStore: StoreParts["codes"]): Promise<void> {
    await sleep(WRITE_DELAY_MS);
    if (verdict === "unreadable")
      log.error({ userId: id }, "the one-time codes of an account cannot be read");
    if (verdict !== "wrong") return;
    const wrong = await codeStore.countWrong(id, MAX_WRONG_CODES);
    if (wrong !== undefined) record("code_rejected");
    if (wrong === MAX_WRONG_CODES) record("codes_locked");
  }

  // The response must not wait for the write, whose time would reveal that the password was right.
  // The write has the same delay as the write for a right code, so a guess that is not counted, or
  // is counted too late, would not have been accepted either.
  if (typeof verdict === "string") {
    recordRejection(store).catch((error: unknown) => {
      log.error({ userId: id, reason: getErrorMessage(error) }, "a wrong code was not counted");
    });
    return "rejected";
  }
  await sleep(WRITE_DELAY_MS);
  // The code is accepted only if it is still unused, its key was not replaced, and the codes are
  // not locked.
  const isUsedUp =
    verdict.kind === "code"
      ? await store.useStep(id, verdict.step, verdict.secret, MAX_WRONG_CODES)
      : await store.useRecovery(id, verdict.hash);
  if (isUsedUp && verdict.kind === "recovery-code") record("recovery_code_used");
  return isUsedUp ? "accepted" : "rejected";
}

/** Returns the purpose for which the secret of an account is sealed. */
export const getCodesPurpose = (id: UserId): string => `one-time codes of ${id}`;

type JudgedCode =
  /** The secret is sealed again, so that it follows a change of the signing secret. */
  | {
      readonly kind: "code";
      readonly step: number;
      readonly secret: { readonly from: string; readonly to: string };
    }
  /**
   * A recovery code needs no signing secret, so it works even if the secret was lost. It also
   * unlocks codes.
   */
  | { readonly kind: "recovery-code"; readonly hash: string }
  | "wrong"
  /** Only recovery codes are still checked. */
  | "locked"
  /** The secret is damaged, or was sealed with another signing secret. */
  | "unreadable";

/** Checks the input as a code of an account. The input may contain spaces and hyphens. */
function judgeCode(
  seals: Seals,
  { id, codes }: { readonly id: UserId; readonly codes: Codes },
  entered: string,
  at: number,
): JudgedCode {
  const digits = entered.replace(/[\s-]/g, "");
  const isLocked = codes.wrong >= MAX_WRONG_CODES;
  if (/^\d{25}$/.test(digits)) {
    const hash = hashRecoveryCode(digits);
    if (codes.recovery.includes(hash)) return { kind: "recovery-code", hash };
    return isLocked ? "locked" : "wrong";
  }
  if (isLocked) return "locked";
  const secret = seals.open(codes.secret, getCodesPurpose(id));
  if (secret === undefined) return "unreadable";
  const step = findStep(secret, digits, at, codes.lastStep);
  if (step === undefined) return "wrong";
  const to = seals.seal(secret, getCodesPurpose(id));
  return { kind: "code", step, secret: { from: codes.secret, to } };
}
