import {
  endOtherSessions,
  endSession as endSessionOf,
} from "../../../src/features/sessions/manage-sessions.ts";
import { signOut as signOutOf } from "../../../src/features/sessions/sign-out.ts";
import { promise } from "../model/violation.ts";
import type { World } from "../world.ts";
import { FAILED, type Step, sessionIn, visit } from "./step.ts";

export async function endSession(world: World, step: Step): Promise<string> {
  const target = world.random.pick(world.sessions.all);
  const { outcome, user } = await visit(world, step);
  const { rules } = step.life;
  if (user === undefined || target === undefined) return outcome;
  const learn = world.sessions.ending(target, step.life);
  const result = await world.request(step.life, () =>
    endSessionOf(rules, user, target.id, step.client),
  );
  if (result === undefined) return `${FAILED}, for ${target.label}`;
  learn(result.answer === "ended" ? "ended" : "unchanged");
  if (result.answer === "ended") world.log.accepted("session_end", step);
  return `${result.answer}, ${target.label}`;
}

export async function endOthers(world: World, step: Step): Promise<string> {
  const { outcome, user, session } = await visit(world, step);
  const { rules } = step.life;
  if (user === undefined || session === undefined) return outcome;
  const { ended: hadEnded } = session;
  const from = world.time.now();
  const learn = world.sessions.endingAll(step.life);
  const remembered = [...world.devices];
  const result = await world.request(step.life, () =>
    endOtherSessions(rules, user, sessionIn(step.life, session), step.client),
  );
  if (result === undefined) return FAILED;
  const token = result.answer;
  learn("ended");
  for (const device of remembered) device.isForgotten = true;
  promise(
    token === undefined || hadEnded === undefined,
    `${session.label} has ended, and continues`,
  );
  if (token === undefined) return "all ended";
  const { label } = world.sessions.started(token, from);
  return `ended, and ${session.label} continues as ${label}`;
}

export async function signOut(world: World, step: Step): Promise<string> {
  const session = world.random.pick(world.sessions.all);
  if (session === undefined) return "without a session";
  const learn = world.sessions.ending(session, step.life);
  const isExpired = (): boolean => step.life.now() >= session.expiresAt;
  const hadExpired = isExpired();
  const result = await world.request(step.life, () =>
    signOutOf(step.life.rules, [session.token], step.client),
  );
  // A gate does not end a session that has expired by its clock, which may be ahead of another's.
  if (hadExpired || isExpired()) return `expired, ${session.label}`;
  if (result === undefined) return `${FAILED}, for ${session.label}`;
  if (result.answer === "not-ended") session.refusedBy.add(step.life);
  else learn("ended");
  return `${result.answer}, ${session.label}`;
}
