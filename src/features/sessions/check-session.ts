import { APP_CHECK, createAuditEvent, type NewAuditEvent } from "../../audit/events.ts";
import { insertUserRow } from "../../db/insert-user-row.ts";
import type { StoredUser } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import { type ChangeServices, changeAccount } from "../../identity/credential-cache.ts";
import type {
  Factors,
  IssuedToken,
  SessionTokens,
  VerifiedToken,
} from "../../identity/session-token.ts";
import { toSession } from "../../identity/start-session.ts";
import type { Client } from "../../lib/client.ts";
import type { Clock } from "../../lib/clock.ts";

/** A check takes less time. If it is killed, its session ends by itself. */
export const CHECK_SESSION_SECONDS = 300;

interface CheckSessionServices extends ChangeServices {
  readonly store: Pick<StoreParts, "users" | "sessions" | "codes" | "passkeys" | "grants">;
  readonly clock: Pick<Clock, "now">;
  /** The tokens of these expire after `CHECK_SESSION_SECONDS`. */
  readonly tokens: SessionTokens;
  /** Writes an audit log entry. */
  readonly record: (event: NewAuditEvent) => unknown;
}

/** Returns how many factors the sign-in of this account can have. */
export async function findFactors(
  { store }: Pick<CheckSessionServices, "store">,
  { id }: Pick<StoredUser, "id">,
): Promise<Factors> {
  const [codes, passkeys] = await Promise.all([store.codes.find(id), store.passkeys.listOf(id)]);
  return codes === undefined && passkeys.length === 0 ? 1 : 2;
}

/**
 * Starts a session with which an operator checks an app as this account. The list of sessions and
 * the audit log name the check. Returns `removed` if the account no longer exists.
 */
export async function startCheckSession(
  services: CheckSessionServices,
  user: StoredUser,
  factors: Factors,
  client: Client,
): Promise<IssuedToken | "removed"> {
  const { store, clock, tokens } = services;
  const token = tokens.issue(user.id, user.sessionsFrom, factors);
  const session = toSession(token, clock.now(), client);
  // The entry comes first, so that no session exists without one.
  await recordByCheck(services, "signin", user, client);
  const inserted = await insertUserRow(store.users, user.id, () => store.sessions.insert(session));
  return inserted === "removed" ? "removed" : token;
}

/**
 * Ends the session of a check, and the sessions of other hosts that came from it. What apps got with
 * them ends too, also what would outlive a session.
 */
export async function endCheckSessions(
  services: CheckSessionServices,
  user: StoredUser,
  sessions: readonly (VerifiedToken & Pick<IssuedToken, "id">)[],
  client: Client,
): Promise<void> {
  const { store, clock } = services;
  for (const token of sessions) {
    const session = toSession(token, clock.now(), client);
    const end = () => store.sessions.end(session, new Date(clock.now()));
    if (await changeAccount(services, user.id, end))
      await recordByCheck(services, "session_end", user, client);
    await store.grants.remove({ sessionId: token.id });
  }
}

const recordByCheck = async (
  { record }: CheckSessionServices,
  type: "signin" | "session_end",
  user: StoredUser,
  client: Client,
): Promise<void> => {
  const { id, username } = user;
  await record({
    ...createAuditEvent(type, { user: { id, username }, client }),
    author: APP_CHECK,
  });
};
