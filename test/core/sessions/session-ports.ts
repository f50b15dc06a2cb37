import type { TestContext } from "node:test";
import { createCurrentUser } from "../../../src/core/sessions/current-user.ts";
import { type EndedSessions, endedSessionsIn } from "../../../src/core/sessions/ended-sessions.ts";
import type { VerifiedToken } from "../../../src/core/sessions/session-token.ts";
import { endSessionOf } from "../../../src/core/sessions/sign-out.ts";
import { startSession } from "../../../src/core/sessions/start-session.ts";
import { createWaitingEnds, type WaitingEnds } from "../../../src/core/sessions/waiting-ends.ts";
import type { StoredUser } from "../../../src/core/store.ts";
import { type CorePorts, corePorts } from "../../support/core-ports.ts";
import { partsOf } from "../../support/mint.ts";
import { hashText } from "../../support/store.ts";

export const CLIENT = { remoteAddress: "192.0.2.1", userAgent: "curl/8.5.0" } as const;

export interface SessionsScene {
  readonly ports: CorePorts & { readonly waiting: WaitingEnds };
  readonly user: StoredUser;
  /** Signs the user in, and returns the token once the session is recorded. */
  start(): Promise<string>;
  /** Whether a guard of this process admits the token. */
  isSignedIn(token: string): Promise<boolean>;
  /** The list of the user's ended sessions. */
  ended(): Promise<EndedSessions>;
}

/** One account that signs in. */
export async function accountWithSessions(t: TestContext): Promise<SessionsScene> {
  const given = await corePorts(t);
  const end = (token: VerifiedToken) => endSessionOf(given, token);
  const waiting = createWaitingEnds(end, given.users, given.clock, given.log);
  t.after(() => waiting.close());
  const ports = { ...given, waiting };
  const user = await ports.insertOwner(hashText("a hash"));
  const currentUser = createCurrentUser(ports.tokens, ports.users, ports.clock, { waiting });
  const stored = async () => (await ports.store.findUser(user.id)) ?? user;
  return {
    ports,
    user,
    async start() {
      const token = startSession(ports, await stored(), CLIENT);
      await ports.sessions.flush();
      return token;
    },
    isSignedIn: async (token) => typeof (await currentUser(token)) === "object",
    ended: async () => endedSessionsIn((await stored()).endedSessions),
  };
}

/** The ID of the session of a token. */
export const idOf = (token: string): string => String(partsOf(token).claims.jti);
