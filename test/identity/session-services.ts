import type { TestContext } from "node:test";
import type { StoredUser } from "../../src/db/records.ts";
import {
  createAuthenticateToken,
  createSessionCache,
} from "../../src/identity/authenticate-session.ts";
import { createCredentialCache } from "../../src/identity/credential-cache.ts";
import {
  createPendingSignOuts,
  type PendingSignOuts,
} from "../../src/identity/pending-sign-outs.ts";
import { startSession } from "../../src/identity/start-session.ts";
import { type CoreServices, createCoreServices } from "../support/core-services.ts";
import { partsOf } from "../support/mint.ts";
import { hashText } from "../support/store.ts";

export const CLIENT = { remoteAddress: "192.0.2.1", userAgent: "curl/8.5.0" } as const;

export interface SessionsScene {
  readonly ports: CoreServices & { readonly pendingSignOuts: PendingSignOuts };
  readonly user: StoredUser;
  /** Signs the user in, and returns the token once the session is recorded. */
  start(): Promise<string>;
  /** Whether a guard of this process admits the token. */
  isSignedIn(token: string): Promise<boolean>;
  /** Whether the store knows that the session of the token has ended. */
  hasEnded(token: string): Promise<boolean>;
}

/** One account that signs in. */
export async function accountWithSessions(t: TestContext): Promise<SessionsScene> {
  const core = await createCoreServices(t);
  // Of a store that reports no changes, so that the rules have to forget whom they change.
  const given = { ...core, credentialCache: createCredentialCache(core.store, core.clock) };
  const pendingSignOuts = createPendingSignOuts(given);
  t.after(() => pendingSignOuts.close());
  const ports = { ...given, pendingSignOuts };
  const user = await ports.insertOwner(hashText("a hash"));
  const guard = createAuthenticateToken(
    ports.tokens,
    createSessionCache(ports.credentialCache),
    ports.clock,
    {
      store: ports.store.sessions,
      pendingSignOuts,
    },
  );
  const stored = async () => (await ports.store.users.find(user.id)) ?? user;
  return {
    ports,
    user,
    async start() {
      const token = startSession(ports, await stored(), CLIENT);
      await ports.recorder.flush();
      return token.text;
    },
    async isSignedIn(token) {
      const { kind } = await guard(token);
      return kind !== "needs-sign-in" && kind !== "forged-token";
    },
    hasEnded: (token) => ports.store.sessions.hasEnded(idOf(token)),
  };
}

/** The ID of the session of a token. */
export const idOf = (token: string): string => String(partsOf(token).claims.jti);
