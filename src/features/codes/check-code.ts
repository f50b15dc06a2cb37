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

/** So many wrong codes without a right one are judged: a guess succeeds with 0.03 %. */
const MAX_WRONG_CODES = 100;
/** Time for the answer to a wrong code to leave: an SQLite write holds the event loop. */
const WRITE_DELAY_MS = 20;

export interface CheckCodeServices {
  readonly store: Pick<StoreParts, "codes">;
  readonly seals: Seals;
  readonly clock: Pick<Clock, "now">;
  /**
   * Limits the codes of one account, whatever the addresses they come from. In the memory of this
   * process: a query here would tell by its time that the password was right.
   */
  readonly codeLimiter: Pick<AttemptLimiter, "attempt">;
  readonly events: Pick<EventLog, "record">;
  readonly log: ServerLog;
}

/** Who signs in, with the codes of the account if it has them on. */
export interface CodeHolder {
  readonly user: User;
  readonly codes: Codes | undefined;
}

/**
 * Checks the code of an account after its password, and uses it up. An account without codes needs
 * none. Of concurrent requests with the same code, one is accepted.
 *
 * A wrong code is answered before anything is written about it, because the time of a write would
 * tell that the password was right. The write is at the same moment as that of a right code, so
 * guesses that are not counted, or not in time, would not be accepted either.
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

  /** Counts a wrong code, and logs a secret that cannot be read, after the answer. */
  async function recordRejection(codeStore: StoreParts["codes"]): Promise<void> {
    await sleep(WRITE_DELAY_MS);
    if (verdict === "unreadable")
      log.error({ userId: id }, "the one-time codes of an account cannot be read");
    if (verdict !== "wrong") return;
    const wrong = await codeStore.countWrong(id, MAX_WRONG_CODES);
    if (wrong !== undefined) record("code_rejected");
    if (wrong === MAX_WRONG_CODES) record("codes_locked");
  }

  if (typeof verdict === "string") {
    recordRejection(store).catch((error: unknown) => {
      log.error({ userId: id, reason: getErrorMessage(error) }, "a wrong code was not counted");
    });
    return "rejected";
  }
  await sleep(WRITE_DELAY_MS);
  // Only if the code is still unused, its key not replaced, and codes not locked, at this moment.
  const isUsedUp =
    verdict.kind === "code"
      ? await store.useStep(id, verdict.step, verdict.secret, MAX_WRONG_CODES)
      : await store.useRecovery(id, verdict.hash);
  if (isUsedUp && verdict.kind === "recovery-code") record("recovery_code_used");
  return isUsedUp ? "accepted" : "rejected";
}

/** What the secret of an account is sealed for. */
export const getCodesPurpose = (id: UserId): string => `one-time codes of ${id}`;

type JudgedCode =
  /** Its secret is sealed again, so that it follows a change of the signing secret. */
  | {
      readonly kind: "code";
      readonly step: number;
      readonly secret: { readonly from: string; readonly to: string };
    }
  /** Needs no signing secret, so it also works after that was lost, and unlocks codes. */
  | { readonly kind: "recovery-code"; readonly hash: string }
  | "wrong"
  /** Only a recovery code is still judged. */
  | "locked"
  /** The secret is damaged, or sealed with another signing secret. */
  | "unreadable";

/** Judges what was entered as a code of an account, with or without spaces and hyphens. */
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
