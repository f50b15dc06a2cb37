import { changeExtra, type ExtraChange, type ExtraChangePorts } from "../accounts/extras.ts";
import type { ServerLog } from "../base/server-log.ts";
import type { Client } from "../limits/requester.ts";
import type { Limiter } from "../limits/shared-limiter.ts";
import type { EventLog } from "../log/event-log.ts";
import { eventOf } from "../log/events.ts";
import { type StartSessionPorts, startSession } from "../sessions/start-session.ts";
import type { UserMemory } from "../sessions/user-memory.ts";
import type { SignInOutcome } from "../sign-in/sign-in.ts";
import type { StoredUser, UserId } from "../store.ts";
import { type BrowserAnswer, type Ceremony, readCeremony } from "./ceremony.ts";
import type { Challenges } from "./challenges.ts";
import { isSignedBy } from "./key.ts";
import {
  type Answered,
  MAX_ANSWERED,
  type Passkey,
  passkeysIn,
  rememberAnswer,
  textOf,
} from "./passkey.ts";
import type { RelyingParty } from "./relying-party.ts";

interface SignInWithPasskeyPorts extends StartSessionPorts {
  readonly users: Pick<UserMemory, "anyExists">;
  /** Not that of `signIn`: attempts by passkey use up no sign-in by password. */
  readonly limiter: Pick<Limiter, "attempt">;
  readonly store: ExtraChangePorts;
  readonly challenges: Challenges;
  readonly events: Pick<EventLog, "record">;
  readonly log: ServerLog;
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
  if (!(await ports.users.anyExists())) return { kind: "needs-setup" };

  if ((await ports.limiter.attempt(client.remoteAddress)) === "denied") {
    ports.events.record(eventOf("signin_rate_limited", client.remoteAddress));
    return { kind: "rate-limited" };
  }

  const ceremony = party && readCeremony(answer, "webauthn.get", party);
  const challenge = ceremony && ports.challenges.verify(ceremony.challenge, "sign-in");
  if (challenge === undefined || ceremony === undefined) return { kind: "rejected" };
  const userId = Buffer.from(answer.userHandle, "base64url").toString("utf8") as UserId;
  const user = await ports.store.findUser(userId);
  if (user === undefined) return { kind: "rejected" };

  const use = await changeExtra(ports.store, user, "passkeys", (current) =>
    usePasskey(current, answer, ceremony, challenge, ports.clock.now()),
  );
  if (use === "copied") ports.log.warn({ username: user.username }, COPIED);
  if (use !== "used") return { kind: "rejected" };
  const token = startSession(ports, user, client);
  ports.events.record(eventOf("signin", user.username, user.id));
  return { kind: "signed-in", user: { id: user.id, username: user.username }, token };
}

const COPIED =
  "a passkey was refused: its signature counter did not grow, so it may have been copied (remove it from the account)";

/** Verifies the signature, and records the use, so that the same answer is not accepted again. */
function usePasskey(
  user: StoredUser,
  answer: PasskeyAnswer,
  { counter, signed }: Ceremony,
  challenge: Answered,
  now: number,
): ExtraChange<"used" | "rejected" | "copied"> {
  const passkeys = passkeysIn(user.passkeys);
  const passkey = passkeys.find(({ id }) => id === answer.id);
  if (passkey === undefined || !isSignedBy(passkey.key, signed, answer.signature)) {
    return { kind: "keep", outcome: "rejected" };
  }
  if (passkey.answered.some(({ nonce }) => nonce === challenge.nonce)) {
    return { kind: "keep", outcome: "rejected" };
  }
  // A passkey that does not count always sends 0.
  if (passkey.counter > 0 && counter <= passkey.counter) return { kind: "keep", outcome: "copied" };
  const answered = rememberAnswer(passkey.answered, challenge, now);
  if (answered.length > MAX_ANSWERED) return { kind: "keep", outcome: "rejected" };
  const used: Passkey = { ...passkey, counter, usedAt: now, answered };
  const next = passkeys.map((one) => (one === passkey ? used : one));
  return { kind: "replace", by: textOf(next), outcome: "used" };
}
