import { requireText } from "./api-arguments.ts";
import { endAllSessions, endSessionsOf } from "./core/accounts/accounts.ts";
import { listDevices } from "./core/codes/remembered-devices.ts";
import { type EventType, eventOf } from "./core/log/events.ts";
import type { AllPorts, Ports } from "./core/ports.ts";
import { endInStore } from "./core/sessions/sign-out.ts";
import { type StartSessionPorts, startSession } from "./core/sessions/start-session.ts";
import { type Device, idOf, type Session, type UserId } from "./db/records.ts";
import type { StoreParts } from "./db/store.ts";
import { SESSION_COOKIE, sessionCookies } from "./web/answers/session-cookie.ts";
import { fetchRequest } from "./web/request/fetch-request.ts";
import type { ProxyTrust } from "./web/request/remote-address.ts";
import type { WebRequest } from "./web/request/web-request.ts";

/** The sessions of all accounts. */
export interface Sessions {
  /** The most recently used first, at most 1,000. */
  list(userId: string): Promise<readonly Session[]>;
  /** The devices on which a user needs no one-time code, the newest first, at most 50. */
  devices(userId: string): Promise<readonly Device[]>;
  /** Ends one session by its ID, or forgets a device that needs no one-time code. */
  end(id: string): Promise<"no-session" | "ended" | "forgotten">;
  /** Ends every session of a user. */
  endAll(userId: string): Promise<"no-user" | "ended">;
  /** Ends every session of every user, in one step. Returns the number of users. */
  endForEveryone(): Promise<number>;
  /**
   * Signs in a user whom the app has identified. `undefined` for an unknown or ended account.
   *
   * @param request Its address and browser are in the list of sessions and in the audit log.
   */
  create(userId: string, request?: WebRequest): Promise<NewSession | undefined>;
}

/** A session that `auth.sessions.create` has made. */
export interface NewSession {
  readonly id: string;
  readonly expiresAt: Date;
  /** For a Cookie header. */
  readonly cookie: string;
  /** For Set-Cookie headers of the answer to the request. */
  readonly setCookies: readonly string[];
}

/** The sessions of a user that a list has at most. */
export const MAX_LISTED = 1_000;

interface SessionPorts extends Ports<"clock" | "seals" | "record", "users"> {
  readonly store: Pick<StoreParts, "users" | "sessions" | "codes" | "devices">;
  /** Of this process, if it has guards. */
  readonly memory?: Pick<AllPorts["memory"], "forget">;
  readonly recorder?: Pick<AllPorts["recorder"], "flush">;
}

/** Those of commands too, which create none. */
export function createSessions(ports: SessionPorts): Omit<Sessions, "create"> {
  const { store, clock } = ports;
  const { sessions, devices } = store;
  const record = async (type: EventType, userId: UserId): Promise<void> => {
    const user = await store.users.find(userId);
    if (user !== undefined) await ports.record(eventOf(type, { user }));
  };
  return {
    async list(userId) {
      const id = idOf(requireText("userId", userId));
      await ports.recorder?.flush();
      return sessions.listOf(id, new Date(clock.now()), MAX_LISTED);
    },
    devices: async (userId) => listDevices(ports, idOf(requireText("userId", userId))),
    async end(given) {
      const id = requireText("id", given);
      await ports.recorder?.flush();
      const session = await sessions.find(id);
      if (session !== undefined) {
        if (!(await endInStore(ports, session))) return "no-session";
        await record("session_end", session.userId);
        return "ended";
      }
      const device = await devices.find(id, new Date(clock.now()));
      if (!device || !(await devices.remove(device.userId, id))) return "no-session";
      await record("device_remove", device.userId);
      return "forgotten";
    },
    endAll: async (userId) => endSessionsOf(ports, idOf(requireText("userId", userId))),
    async endForEveryone() {
      try {
        return await endAllSessions(ports);
      } finally {
        // Also after a failure: the sessions may have ended, and only the answer was lost.
        ports.memory?.forget("all");
      }
    },
  };
}

export interface AllSessionPorts extends SessionPorts, StartSessionPorts {
  readonly recorder: AllPorts["recorder"];
  readonly proxies: ProxyTrust;
  readonly cookieDomain: string | undefined;
}

export const createAllSessions = (ports: AllSessionPorts): Sessions =>
  Object.freeze<Sessions>({
    ...createSessions(ports),
    async create(userId, request = fetchRequest(new Request("http://localhost/"))) {
      const id = idOf(requireText("userId", userId));
      const user = await ports.store.users.findActive(id, new Date(ports.clock.now()));
      if (user === undefined) return undefined;
      const client = ports.proxies.clientOf(request);
      const token = startSession(ports, user, client);
      await ports.record(eventOf("signin", { user, client }));
      return Object.freeze({
        id: token.id,
        expiresAt: new Date(token.expiresAt),
        cookie: `${SESSION_COOKIE}=${token.text}`,
        setCookies: sessionCookies(request, token, ports.cookieDomain),
      });
    },
  });
