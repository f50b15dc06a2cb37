import type { Client } from "../limits/requester.ts";
import { eventOf } from "../log/events.ts";
import type { AllPorts, Ports } from "../ports.ts";
import type { Session, User } from "../records.ts";
import { handOff, type Receiver, takeHandoff } from "./hand-off.ts";
import { type IssuedToken, nextSecond, type VerifiedToken, validUpTo } from "./session-token.ts";
import { endInStore } from "./sign-out.ts";
import { sessionRecord } from "./start-session.ts";

/** What signed-in users can do with their sessions. `token` is that of the request. */
export interface SessionRules {
  /**
   * This session first, then the most recently used. If this one is not recorded, for example because
   * it is from an older version, it is recorded now.
   */
  list(token: string, client: Client): Promise<SessionList>;
  /** Ends a session of the user. A session of another user is `no-session`, like an unknown one. */
  end(user: User, session: string, client: Client): Promise<"no-session" | "ended">;
  /**
   * Ends every session of the user up to now, recorded or not, and continues that of the request with
   * a new token, which it returns; `undefined` if it has ended too. It counts from the sign-in as
   * before, so that a stolen session cannot be prolonged.
   */
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

interface SessionRulesPorts
  extends Ports<"clock" | "tokens" | "sessions" | "events", "users" | "sessions"> {
  readonly users: Pick<AllPorts["users"], "forget">;
  /** The content of the token of a guarded request; `undefined` if it is no session any more. */
  tokenIn(text: string): VerifiedToken | undefined;
}

/** More would make the page a wall. "Sign out everywhere else" ends the others as well. */
const MAX_LISTED = 50;

export function createSessionRules(ports: SessionRulesPorts): SessionRules {
  const { store, clock, tokens, users, sessions: recorder, events, tokenIn } = ports;

  function recordNow(token: VerifiedToken, client: Client): Session | undefined {
    const { id } = token;
    if (id === undefined) return undefined;
    const session = sessionRecord({ ...token, id }, clock.now(), client);
    recorder.started(session);
    return session;
  }

  return {
    async list(text, client) {
      const token = tokenIn(text);
      if (token === undefined) return { sessions: [], hasMore: false, currentId: undefined };
      await recorder.flush();
      const now = new Date(clock.now());
      const listed = await store.sessions.listOf(token.userId, now, MAX_LISTED + 1);
      const own = listed.find(({ id }) => id === token.id) ?? recordNow(token, client);
      const sessions = [own ?? [], listed.filter(({ id }) => id !== token.id)].flat();
      const hasMore = sessions.length > MAX_LISTED;
      return { sessions: sessions.slice(0, MAX_LISTED), hasMore, currentId: token.id };
    },

    async end(user, id, client) {
      const session = await store.sessions.find(id);
      if (session?.userId !== user.id || !(await endInStore(ports, session))) return "no-session";
      events.record(eventOf("session_end", { user, client }));
      return "ended";
    },

    async endOthers(user, text, client) {
      // A record that is still to be written would list a session that has ended.
      await recorder.flush();
      const current = tokenIn(text);
      const own = current?.userId === user.id ? current : undefined;
      const asker = own && { id: own.id, validUpTo: validUpTo(own) };
      try {
        const ended = await store.users.endSessions(user.id, nextSecond(clock), asker);
        if (ended === undefined) return undefined;
        events.record(eventOf("session_end_others", { user, client }));
        // Not from the guard, which may have admitted a slow request long ago: a session that has
        // ended since must not get a new token.
        if (own === undefined || ended.asker === "had-ended") return undefined;
        const token = tokens.reissue(own, ended.sessionsFrom);
        recorder.started(sessionRecord(token, clock.now(), client));
        return token;
      } finally {
        // Also after a failure: the sessions may have ended, and only the answer was lost.
        users.forget(user.id);
      }
    },

    async handOff(text, receiver) {
      const token = tokenIn(text);
      return token && handOff(ports, token, receiver);
    },

    takeHandoff: (code, receiver, client) => takeHandoff(ports, code, receiver, client),
  };
}
