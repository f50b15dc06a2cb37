import { createHandoff, takeHandoff } from "../../../src/features/domains/handoff.ts";
import { promise } from "../model/violation.ts";
import type { World } from "../world.ts";
import { FAILED, type Step, sessionIn, visit } from "./step.ts";

const RECEIVER = { host: "photos.other.test", browser: "the hash of the cookie" };
const OTHERS = [
  { ...RECEIVER, host: "wiki.other.test" },
  { ...RECEIVER, browser: "the hash of another cookie" },
];
/** How often another client sends a code first. */
const STOLEN = 0.2;
const MEMBERS = 0.5;
const NEVER = Number.POSITIVE_INFINITY;

/** Hands a session over to another host, where the code is sent to two gates at once. */
export async function handOver(world: World, step: Step): Promise<string> {
  const { random, gates, members } = world;
  const member = random.chance(MEMBERS) ? random.pick(members) : undefined;
  const { endsAt, sessions: model } = member ?? { endsAt: NEVER, sessions: world.sessions };
  const { user, session, outcome } = await visit(world, step, model);
  if (user === undefined || session === undefined) return outcome;
  const { life, client } = step;
  const token = sessionIn(life, session);
  if (token === undefined) return `${session.label} has expired`;
  const given = await world.request(life, () => createHandoff(life.rules, token, RECEIVER));
  const code = given?.answer;
  if (code === undefined) return `${FAILED}, for a code of ${session.label}`;
  const { ended } = session;
  const isStolen = random.chance(STOLEN);
  const receiver = (isStolen && random.pick(OTHERS)) || RECEIVER;
  const from = world.time.now();
  const lives = [life, random.pick(gates)?.life ?? life];
  const taken = await Promise.all(
    lives.map((one) => world.request(one, () => takeHandoff(one.rules, code, receiver, client))),
  );
  const tokens = taken.flatMap((one) => one?.answer ?? []);
  promise(!isStolen || tokens.length === 0, `a code of ${session.label} counts for another`);
  promise(tokens.length <= 1, `a code of ${session.label} counts twice`);
  const [handed] = tokens;
  if (handed === undefined) return `nothing for a code of ${session.label}`;
  promise(ended === undefined, `${session.label} has ended, and is handed over`);
  const expiresAt = Math.min(handed.expiresAt, endsAt);
  promise(expiresAt <= session.expiresAt, `${session.label} is prolonged`);
  const { label } = model.started({ ...handed, expiresAt }, from);
  return `${session.label} is handed over as ${label}`;
}
