import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/fault.ts";
import type { ServerLog } from "../base/server-log.ts";
import type { AttemptLimiter } from "../limits/attempt-limiter.ts";
import type { Client } from "../limits/requester.ts";
import type { EventLog } from "../log/event-log.ts";
import { type EventType, eventOf } from "../log/events.ts";
import type { Codes, User } from "../records.ts";
import type { Seals } from "../sessions/seals.ts";
import type { CodeStore } from "../store.ts";
import { type JudgedCode, judgeCode, MAX_WRONG_CODES } from "./judge-code.ts";

export interface CheckCodePorts {
  /** Without it, no account has codes. */
  readonly store: { readonly codes?: CodeStore };
  readonly seals: Seals;
  readonly clock: Pick<Clock, "now">;
  /**
   * Limits the codes of one account, whatever the addresses they come from. In the memory of this
   * process: a query here would tell by its time that the password was right.
   */
  readonly codeLimiter: Pick<AttemptLimiter, "attempt">;
  readonly events: Pick<EventLog, "record">;
  readonly log: Pick<ServerLog, "error">;
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
  ports: CheckCodePorts,
  { user, codes }: CodeHolder,
  entered: string,
  client: Client,
): Promise<"not-needed" | "accepted" | "rejected"> {
  const { store, seals, clock, codeLimiter, events, log } = ports;
  if (codes === undefined) return "not-needed";
  if (store.codes === undefined || entered === "") return "rejected";
  if (codeLimiter.attempt(user.id) === "denied") return "rejected";
  const judged = judgeCode(seals, { id: user.id, codes }, entered, clock.now());
  const record = (type: EventType) => events.record(eventOf(type, { user, client }));
  if (judged.kind !== "code" && judged.kind !== "recovery-code") {
    noteRejected({ codes: store.codes, log, record }, user, judged.kind).catch((error: unknown) => {
      log.error({ userId: user.id, reason: messageOf(error) }, "a wrong code was not counted");
    });
    return "rejected";
  }
  await sleep(WRITE_AFTER_MS);
  if (!(await isUsedUp(store.codes, user, judged))) return "rejected";
  if (judged.kind === "recovery-code") record("recovery_code_used");
  return "accepted";
}

/** Time for the answer to a wrong code to leave: an SQLite write holds the event loop. */
const WRITE_AFTER_MS = 20;

type RightCode = Extract<JudgedCode, { kind: "code" | "recovery-code" }>;

/** Whether the code was still unused, and codes not locked, at the moment of the write. */
function isUsedUp(codes: CodeStore, { id }: User, judged: RightCode): Promise<boolean> {
  return judged.kind === "code"
    ? codes.useStep(id, judged.step, judged.secret, MAX_WRONG_CODES)
    : codes.useRecovery(id, judged.hash);
}

interface NotePorts extends Pick<CheckCodePorts, "log"> {
  readonly codes: CodeStore;
  readonly record: (type: EventType) => void;
}

/** Counts a wrong code, and logs a secret that cannot be read, after the answer. */
async function noteRejected(
  { codes, log, record }: NotePorts,
  { id }: User,
  kind: Exclude<JudgedCode["kind"], RightCode["kind"]>,
): Promise<void> {
  await sleep(WRITE_AFTER_MS);
  if (kind === "unreadable")
    log.error({ userId: id }, "the one-time codes of an account cannot be read");
  if (kind !== "wrong") return;
  const wrong = await codes.countWrong(id, MAX_WRONG_CODES);
  if (wrong === undefined) return;
  record("code_rejected");
  if (wrong === MAX_WRONG_CODES) record("codes_locked");
}
