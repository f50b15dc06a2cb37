import {
  addPasskey as add,
  beginPasskey,
  removePasskey as remove,
} from "../../../src/features/passkeys/manage-passkeys.ts";
import { signInWithPasskey as signIn } from "../../../src/features/passkeys/sign-in-with-passkey.ts";
import { createAuthenticator, PARTY } from "../../../test/support/authenticator.ts";
import { LATE_MS } from "../faulty-store.ts";
import { createFact } from "../model/fact.ts";
import { promise } from "../model/violation.ts";
import type { World } from "../world.ts";
import { FAILED, type Step, visit } from "./step.ts";

export async function addPasskey(world: World, step: Step): Promise<string> {
  const { outcome, user } = await visit(world, step);
  const { rules } = step.life;
  if (user === undefined) return outcome;
  const begun = await world.request(step.life, () => beginPasskey(rules, user.id));
  if (begun === undefined) return FAILED;
  if (begun.answer.kind !== "begun") return begun.answer.kind;
  const authenticator = createAuthenticator("EdDSA");
  const state = createFact<"absent" | "added">("absent", world.time.now, LATE_MS);
  world.passkeys.push({ authenticator, userId: user.id, state, answers: [] });
  const learn = state.changing();
  const created = authenticator.create(begun.answer.challenge);
  const with_ = { party: PARTY, client: step.client };
  const result = await world.request(step.life, () => add(rules, user.id, created, with_));
  learn(result && (result.answer === "added" ? { to: "added" } : "unchanged"));
  if (result?.answer === "added") world.log.accepted("passkey_add", step);
  return result?.answer ?? FAILED;
}

export async function removePasskey(world: World, step: Step): Promise<string> {
  const passkey = world.random.pick(world.passkeys);
  const { outcome, user } = await visit(world, step);
  const { rules } = step.life;
  if (user === undefined || passkey === undefined) return outcome;
  const { id } = passkey.authenticator;
  const learn = passkey.state.changing();
  const result = await world.request(step.life, () => remove(rules, user, id, step.client));
  learn(result && { to: "absent" });
  return result ? "removed" : FAILED;
}

/** Also with an answer that was given before. */
export async function signInWithPasskey(world: World, { life, client }: Step): Promise<string> {
  const { random } = world;
  const { rules } = life;
  const passkey = random.pick(world.passkeys);
  if (passkey === undefined) return "without a passkey";
  const { authenticator, userId, answers, state } = passkey;
  const given = (random.chance(0.3) ? random.pick(answers) : undefined) ?? {
    answer: authenticator.get(rules.challenges.issue("sign-in"), userId),
    isUsed: false,
  };
  answers.push(given);
  const { value, version } = state;
  const from = world.time.now();
  const counted = world.passkeyAttempts.begin(life, client.remoteAddress);
  const result = await world.request(life, () => signIn(rules, given.answer, PARTY, client));
  if (result === undefined) return FAILED;
  const { answer } = result;
  promise(answer.kind !== "needs-setup", "the account of a passkey is not found");
  counted(answer.kind === "rate-limited" ? "denied" : "counted");
  if (answer.kind !== "signed-in") return answer.kind;
  world.log.accepted("signin", { life, client });
  promise(!given.isUsed, "an answer of a passkey is accepted twice");
  given.isUsed = true;
  const isAbsent = value === "absent" && version === state.version;
  promise(!isAbsent, "a passkey that was removed is accepted");
  const { label } = world.sessions.started(answer.token, from);
  return `${answer.kind}, ${label}`;
}
