import type { Client } from "../limits/requester.ts";
import type { EventLog } from "../log/event-log.ts";
import { eventOf } from "../log/events.ts";
import type { Session, User } from "../records.ts";
import { type EndOtherSessionsPorts, endOtherSessions } from "./end-other-sessions.ts";
import { endSession } from "./end-session.ts";
import { type HandOffPorts, handOff, type Receiver, takeHandoff } from "./hand-off.ts";
import { type ListSessionsPorts, listSessions, MAX_LISTED } from "./list-sessions.ts";
import type { IssuedToken, VerifiedToken } from "./session-token.ts";

/** What signed-in users can do with their sessions. `token` is that of the request. */
export interface SessionRules {
  list(token: string, client: Client): Promise<SessionList>;
  end(user: User, session: string, client: Client): Promise<"no-session" | "ended">;
  /** Returns the new token of this session; `undefined` if it has ended too. */
  endOthers(user: User, token: string, client: Client): Promise<IssuedToken | undefined>;
  /** Returns the code for a session of another host; `undefined` if the token has expired. */
  handOff(token: string, receiver: Receiver): Promise<string | undefined>;
  takeHandoff(code: string, receiver: Receiver, client: Client): Promise<IssuedToken | undefined>;
}

interface SessionList {
  readonly sessions: readonly Session[];
  readonly hasMore: boolean;
  readonly currentId: string | undefined;
}

interface SessionRulesPorts extends EndOtherSessionsPorts {
  readonly store: EndOtherSessionsPorts["store"] & HandOffPorts["store"];
  readonly sessions: ListSessionsPorts["sessions"];
  readonly events: EventLog;
  /** The content of the token of a guarded request; `undefined` if it is no session any more. */
  tokenIn(text: string): VerifiedToken | undefined;
}

/** The rules of sessions, with their audit log entries. */
export function createSessionRules(ports: SessionRulesPorts): SessionRules {
  const { tokenIn, events } = ports;
  return {
    async list(text, client) {
      const token = tokenIn(text);
      const sessions = token === undefined ? [] : await listSessions(ports, token, client);
      return {
        sessions: sessions.slice(0, MAX_LISTED),
        hasMore: sessions.length > MAX_LISTED,
        currentId: token?.jti,
      };
    },

    async end(user, session, client) {
      const outcome = await endSession(ports, user.id, session);
      if (outcome === "ended") events.record(eventOf("session_end", { user, client }));
      return outcome;
    },

    async endOthers(user, text, client) {
      // A record that is still to be written would list a session that has ended.
      await ports.sessions.flush();
      const outcome = await endOtherSessions(ports, user.id, tokenIn(text), client);
      if (outcome.kind === "no-user") return undefined;
      events.record(eventOf("session_end_others", { user, client }));
      return outcome.kind === "others-ended" ? outcome.token : undefined;
    },

    async handOff(text, receiver) {
      const token = tokenIn(text);
      return token && handOff(ports, token, receiver);
    },

    takeHandoff: (code, receiver, client) => takeHandoff(ports, code, receiver, client),
  };
}
