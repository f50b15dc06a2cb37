import type { EventLog } from "../../audit/event-log.ts";
import { createAuditEvent } from "../../audit/events.ts";
import { insertUserRow } from "../../db/insert-user-row.ts";
import { toPublicUser, type UserId } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { CredentialCache } from "../../identity/credential-cache.ts";
import type { Limiter } from "../../identity/shared-limiter.ts";
import { type StartSessionServices, startSession } from "../../identity/start-session.ts";
import type { Client } from "../../lib/client.ts";
import type { ServerLog } from "../../lib/server-log.ts";
import type { SignInOutcome } from "../sign-in/sign-in.ts";
import { type CeremonyResponse, parseCeremony } from "./ceremony.ts";
import type { Challenges } from "./challenges.ts";
import { isValidSignature } from "./public-key.ts";
import type { RelyingParty } from "./relying-party.ts";

interface SignInWithPasskeyServices extends StartSessionServices {
  readonly store: Pick<StoreParts, "users" | "passkeys">;
  readonly credentialCache: CredentialCache;
  readonly passkeyLimiter: Pick<Limiter, "attempt">;
  readonly events: Pick<EventLog, "record">;
  readonly log: ServerLog;
  readonly challenges: Challenges;
}

/** Contains what a browser returns when a user signs in with a passkey, in base64url. */
export interface PasskeyResponse extends CeremonyResponse {
  readonly id: string;
  /** The passkey has stored this ID of the user. */
  readonly userHandle: string;
  readonly signature: string;
}

/**
 * Signs in without a password. A passkey that verified the user counts as both factors. The order
 * of the checks and the numbers of the limit are those of `signIn`. The outcome is `rejected` for
 * all reasons.
 */
export async function signInWithPasskey(
  services: SignInWithPasskeyServices,
  response: PasskeyResponse,
  party: RelyingParty | undefined,
  client: Client,
): Promise<SignInOutcome> {
  if (!(await services.credentialCache.anyExists())) return { kind: "needs-setup" };

  if ((await services.passkeyLimiter.attempt(client.remoteAddress)) === "denied") {
    services.events.record(createAuditEvent("signin_rate_limited", { client }));
    return { kind: "rate-limited" };
  }

  const ceremony = party && parseCeremony(response, "webauthn.get", party);
  const challenge = ceremony && services.challenges.verify(ceremony.challenge, "sign-in");
  if (challenge === undefined || ceremony === undefined) return { kind: "rejected" };
  const userId = Buffer.from(response.userHandle, "base64url").toString("utf8") as UserId;
  const user = await services.store.users.findActive(userId, new Date(services.clock.now()));
  const passkeys = user === undefined ? [] : await services.store.passkeys.listOf(userId);
  const passkey = passkeys.find(({ id }) => id === response.id);
  if (user === undefined || passkey === undefined) return { kind: "rejected" };
  if (!isValidSignature(passkey.key, ceremony.signed, response.signature))
    return { kind: "rejected" };

  const now = new Date(services.clock.now());
  // A challenge can be claimed only once for all passkeys together, so the same response is never
  // accepted again.
  const claimChallenge = () =>
    services.store.passkeys.claimChallenge({ ...challenge, userId }, now);
  if ((await insertUserRow(services.store.users, userId, claimChallenge)) !== true)
    return { kind: "rejected" };
  if (!(await services.store.passkeys.use(userId, passkey.id, ceremony.counter, now))) {
    services.log.warn({ username: user.username }, COPIED);
    return { kind: "rejected" };
  }
  const token = startSession(services, user, client, 2);
  services.events.record(createAuditEvent("signin", { user, client }));
  return { kind: "signed-in", user: toPublicUser(user), token };
}

const COPIED =
  "a passkey was refused: its signature counter did not grow, so it may have been copied (remove it from the account)";
