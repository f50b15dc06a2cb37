import { setTimeout as sleep } from "node:timers/promises";
import type { ExtraStore } from "../accounts/account-store.ts";
import { changeExtra, type ExtraChangePorts, keepsExtras } from "../accounts/extras.ts";
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/fault.ts";
import type { ServerLog } from "../base/server-log.ts";
import type { AttemptLimiter } from "../limits/attempt-limiter.ts";
import type { EventLog } from "../log/event-log.ts";
import { eventOf } from "../log/events.ts";
import type { Seals } from "../sessions/seals.ts";
import type { Store, StoredUser } from "../store.ts";
import { type CodeUse, useCode, usesCodes } from "./code-state.ts";

export interface CheckCodePorts {
  readonly store: Pick<Store, "findUser"> & Partial<ExtraStore>;
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

/**
 * Checks the code of an account after its password, and uses it up. An account without codes needs
 * none. Of concurrent requests with the same code, one is accepted.
 *
 * @param user As just read from the store.
 */
export async function checkCode(
  ports: CheckCodePorts,
  user: StoredUser,
  entered: string,
): Promise<"not-needed" | "accepted" | "rejected"> {
  if (!usesCodes(user.codes)) return "not-needed";
  const judged = await judgeCode(ports, user, entered, (next) => next);
  if (judged === "recovery-code")
    ports.events.record(eventOf("recovery_code_used", user.username, user.id));
  return judged === "code" || judged === "recovery-code" ? "accepted" : "rejected";
}

/** `off` if codes have been turned off in the meantime. */
type Judged = "code" | "recovery-code" | "wrong" | "off" | "no-user";

/**
 * Judges a code within the limits of its account, and counts it if it is wrong. A wrong code is
 * answered before the write of its count begins, because the time of a write would tell that the
 * password was right. The write is the same as that of a right code at the same moment, so guesses
 * that are not counted, or not in time, would not be accepted either.
 *
 * @param after What becomes of the extra after a right code.
 */
export async function judgeCode(
  ports: CheckCodePorts,
  user: StoredUser,
  entered: string,
  after: (next: string) => string | undefined,
): Promise<Judged> {
  const { store, codeLimiter, log } = ports;
  if (entered === "" || !keepsExtras(store)) return "wrong";
  if (codeLimiter.attempt(user.id) === "denied") return "wrong";
  const at = ports.clock.now();
  const judge = (current: StoredUser) =>
    useCode({ ...ports, clock: { now: () => at } }, current, entered);
  const { kind } = judge(user);
  if (kind === "locked") return "wrong";
  const judging = judgeNext({ ...ports, store, judge }, user, after);
  if (kind !== "wrong" && kind !== "last-wrong") return judging;
  judging.catch((error: unknown) => {
    log.error({ userId: user.id, reason: messageOf(error) }, "a wrong code was not counted");
  });
  return "wrong";
}

interface JudgePorts extends Pick<CheckCodePorts, "events" | "log"> {
  readonly store: ExtraChangePorts;
  readonly judge: (user: StoredUser) => CodeUse;
}

/** Time for the answer to a wrong code to leave: an SQLite write holds the event loop. */
const WRITE_AFTER_MS = 20;

/** Right and wrong codes wait alike, so that they are judged in the order in which they came. */
async function judgeNext(
  ports: JudgePorts,
  user: StoredUser,
  after: (next: string) => string | undefined,
): Promise<Judged> {
  await sleep(WRITE_AFTER_MS);
  type Outcome = CodeUse["kind"] | "off";
  const outcome = await changeExtra<Outcome>(ports.store, user, "codes", (current) => {
    if (!usesCodes(current.codes)) return { kind: "keep", outcome: "off" };
    const use = ports.judge(current);
    if (!("next" in use)) return { kind: "keep", outcome: use.kind };
    const isRight = use.kind === "code" || use.kind === "recovery-code";
    return { kind: "replace", by: isRight ? after(use.next) : use.next, outcome: use.kind };
  });
  switch (outcome) {
    case "unreadable":
      ports.log.error({ userId: user.id }, "the one-time codes of an account cannot be read");
      return "wrong";
    case "wrong":
    case "last-wrong":
      ports.events.record(eventOf("code_rejected", user.username, user.id));
      if (outcome === "last-wrong")
        ports.events.record(eventOf("codes_locked", user.username, user.id));
      return "wrong";
    case "locked":
      return "wrong";
    default:
      return outcome;
  }
}
