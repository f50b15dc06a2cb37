import { type UserId, userOf } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { Client } from "../base/client.ts";
import type { ServerLog } from "../base/server-log.ts";
import type { Limiter } from "../limits/shared-limiter.ts";
import type { EventLog } from "../log/event-log.ts";
import { eventOf } from "../log/events.ts";
import type { CredentialCache } from "../sessions/credential-cache.ts";
import { insertFor } from "../sessions/insert-for.ts";
import { type StartSessionPorts, startSession } from "../sessions/start-session.ts";
import type { SignInOutcome } from "../sign-in/sign-in.ts";
import { type BrowserAnswer, parseCeremony } from "./ceremony.ts";
import type { Challenges } from "./challenges.ts";
import { isSignedBy } from "./key.ts";
import type { RelyingParty } from "./relying-party.ts";

interface SignInWithPasskeyPorts extends StartSessionPorts {
  readonly store: Pick<StoreParts, "users" | "passkeys">;
  readonly memory: CredentialCache;
  readonly passkeyLimiter: Pick<Limiter, "attempt">;
  readonly events: Pick<EventLog, "record">;
  readonly log: ServerLog;
  readonly challenges: Challenges;
}

/** What a browser returns when a passkey is used, in base64url. */
export interface PasskeyAnswer extends BrowserAnswer {
  readonly id: string;
  /** The ID of the user, which the passkey has kept. */
  readonly userHandle: string;
  readonly signature: string;
}

/**
 * Signs in without a password: a passkey that verified the user counts as both factors. The order is
 * that of `signIn`, and so are the numbers of the limit. One `rejected` for all reasons.
 */
export async function signInWithPasskey(
  ports: SignInWithPasskeyPorts,
  answer: PasskeyAnswer,
  party: RelyingParty | undefined,
  client: Client,
): Promise<SignInOutcome> {
  if (!(await ports.memory.anyExists())) return { kind: "needs-setup" };

  if ((await ports.passkeyLimiter.attempt(client.remoteAddress)) === "denied") {
    ports.events.record(eventOf("signin_rate_limited", { client }));
    return { kind: "rate-limited" };
  }

  const ceremony = party && parseCeremony(answer, "webauthn.get", party);
  const challenge = ceremony && ports.challenges.verify(ceremony.challenge, "sign-in");
  if (challenge === undefined || ceremony === undefined) return { kind: "rejected" };
  const userId = Buffer.from(answer.userHandle, "base64url").toString("utf8") as UserId;
  const user = await ports.store.users.findActive(userId, new Date(ports.clock.now()));
  const passkeys = user === undefined ? [] : await ports.store.passkeys.listOf(userId);
  const passkey = passkeys.find(({ id }) => id === answer.id);
  if (user === undefined || passkey === undefined) return { kind: "rejected" };
  if (!isSignedBy(passkey.key, ceremony.signed, answer.signature)) return { kind: "rejected" };

  const now = new Date(ports.clock.now());
  // Once for all passkeys, so that the same answer is not accepted again.
  const claiming = () => ports.store.passkeys.answer({ ...challenge, userId }, now);
  if ((await insertFor(ports.store.users, userId, claiming)) !== true) return { kind: "rejected" };
  if (!(await ports.store.passkeys.use(userId, passkey.id, ceremony.counter, now))) {
    ports.log.warn({ username: user.username }, COPIED);
    return { kind: "rejected" };
  }
  const token = startSession(ports, user, client, 2);
  ports.events.record(eventOf("signin", { user, client }));
  return { kind: "signed-in", user: userOf(user), token };
}

const COPIED =
  "a passkey was refused: its signature counter did not grow, so it may have been copied (remove it from the account)";
