import type { User } from "../../../src/db/records.ts";
import type { VerifiedToken } from "../../../src/identity/session-token.ts";
import type { Client } from "../../../src/lib/client.ts";
import type { Gate, Life } from "../gate.ts";
import type { KnownSession, SessionModel } from "../model/sessions.ts";
import { promise } from "../model/violation.ts";
import type { World } from "../world.ts";

/** What a client does next, and where it sends its requests. */
export interface Step {
  readonly gate: Gate;
  readonly life: Life;
  readonly client: Client;
}

/** Does one thing, checks the answers, and returns what to write in the trace. */
export type Action = (world: World, step: Step) => Promise<string>;

/** For names, passwords and addresses that are used once. */
export function nextNumber(world: World): number {
  world.numbers += 1;
  return world.numbers;
}

/** The gate has crashed, or the store has failed. */
export const FAILED = "no answer";

export interface Visit {
  readonly outcome: string;
  readonly session: KnownSession | undefined;
  /** If the guard has admitted the request. */
  readonly user?: User;
}

/** At its own host, a session that was handed over counts as any other. */
export const isAdmission = (kind: string): boolean => kind === "admitted" || kind === "bound";

/** What the token says; `undefined` if the session has expired since its guard. */
export function sessionIn(
  { rules }: Life,
  { token }: Pick<KnownSession, "token">,
): VerifiedToken | undefined {
  const verified = rules.tokens.verify(token);
  return verified === "forged" ? undefined : verified;
}

/** A guarded request with any earlier session, the newest more often. */
export async function visit(
  world: World,
  { life }: Step,
  sessions: SessionModel = world.sessions,
): Promise<Visit> {
  const { random } = world;
  const { all } = sessions;
  const session = all[Math.floor(all.length * (1 - random.next() ** 2 * 0.999))];
  if (session === undefined) return { outcome: "without a session", session };
  const checked = sessions.asking(session, life);
  const result = await world.request(life, () =>
    life.rules.authenticate(`session=${session.token}`),
  );
  if (result === undefined) return { outcome: FAILED, session };
  const { answer } = result;
  promise(answer.kind !== "needs-setup", "no account is found");
  checked(isAdmission(answer.kind));
  const outcome = `${answer.kind} with ${session.label}`;
  return answer.kind === "admitted"
    ? { outcome, session, user: answer.user }
    : { outcome, session };
}
