import type { ExtraStore } from "../accounts/account-store.ts";
import { changeExtra, keepsExtras } from "../accounts/extras.ts";
import type { AttemptLimiter } from "../attempt-limiter.ts";
import type { Clock } from "../clock.ts";
import type { EventLog } from "../event-log.ts";
import { eventOf } from "../events.ts";
import type { Seals } from "../seals.ts";
import type { ServerLog } from "../server-log.ts";
import type { Store, StoredUser } from "../store.ts";
import { useCode } from "./code-state.ts";

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
  if (user.codes === undefined) return "not-needed";
  if (entered === "" || !keepsExtras(ports.store)) return "rejected";
  if (ports.codeLimiter.attempt(user.id) === "denied") return "rejected";
  const outcome = await changeExtra(ports.store, user, "codes", (current) => {
    // Turned off in the meantime: the next sign-in needs none.
    if (current.codes === undefined) return { kind: "keep", outcome: "wrong" };
    const use = useCode(ports, current, entered);
    return "next" in use
      ? { kind: "replace", by: use.next, outcome: use.kind }
      : { kind: "keep", outcome: use.kind };
  });
  if (outcome === "unreadable") noteUnreadable(ports.log, user);
  if (outcome === "recovery-code")
    ports.events.record(eventOf("recovery_code_used", user.username));
  return outcome === "code" || outcome === "recovery-code" ? "accepted" : "rejected";
}

export function noteUnreadable(log: Pick<ServerLog, "error">, { id }: StoredUser): void {
  log.error({ userId: id }, "the one-time codes of an account cannot be read");
}
