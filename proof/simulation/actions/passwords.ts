import { changePassword as change } from "../../../src/features/password/change-password.ts";
import { setUp as setUpAt } from "../../../src/features/setup/set-up.ts";
import { signIn as signInAt } from "../../../src/features/sign-in/sign-in.ts";
import { promise } from "../model/violation.ts";
import type { World } from "../world.ts";
import { enterCode } from "./codes.ts";
import { FAILED, nextNumber, type Step, visit } from "./step.ts";

export async function setUp(world: World, { life, client }: Step): Promise<string> {
  const username = `owner ${nextNumber(world)}`;
  const password = `${username}/first`;
  const learn = world.passwords.settingUp(password);
  const from = world.time.now();
  const form = { token: "", username, password, confirm: password, domain: "" };
  const result = await world.request(life, () => setUpAt(life.rules, form, client));
  if (result === undefined) return FAILED;
  const { answer } = result;
  learn(answer.kind === "set-up");
  if (answer.kind !== "set-up") {
    promise(answer.kind === "already-configured", `a setup is refused: ${answer.kind}`);
    world.isConfigured = true;
    return answer.kind;
  }
  world.log.accepted("signup", { life, client });
  promise(world.setUps === 0, "two setups are accepted");
  world.setUps += 1;
  world.isConfigured = true;
  const { label } = world.sessions.started(answer.token, from);
  return `${answer.kind}, ${label}`;
}

export async function signIn(world: World, { life, client }: Step): Promise<string> {
  const { random, passwords } = world;
  const possible = passwords.possible();
  const right = random.pick(possible) ?? "owner/none yet";
  const password = random.chance(0.2) ? "a wrong password" : right;
  const wasConfigured = world.isConfigured;
  const from = world.time.now();
  const counted = world.attempts.begin(life, client.remoteAddress);
  const code = enterCode(world, life);
  const { value, version } = world.codes;
  const attempt = {
    ...{ code: code.text, username: usernameOf(right), password, ...client },
    remembersDevice: random.chance(0.5),
  };
  const result = await world.request(life, () => signInAt(life.rules, attempt));
  if (result === undefined) return FAILED;
  const { answer } = result;
  if (answer.kind === "needs-setup") {
    counted(undefined);
    promise(!wasConfigured, "the account that exists is not found");
    return answer.kind;
  }
  world.isConfigured = true;
  counted(answer.kind === "rate-limited" ? "denied" : "counted");
  if (answer.kind === "rate-limited") world.log.accepted("signin_rate_limited", { life, client });
  if (answer.kind === "rejected") {
    const isWithoutCodes = value === "off" && version === world.codes.version;
    const isCertain = isWithoutCodes && possible.length === 1 && passwords.possible().length === 1;
    promise(
      !(isCertain && possible.includes(password) && passwords.possible().includes(password)),
      "the password is rejected",
    );
  }
  if (answer.kind !== "signed-in") return answer.kind;
  world.log.accepted("signin", { life, client });
  promise(possible.includes(password), "a wrong password is accepted");
  code.accepted();
  if (answer.device !== undefined) {
    const isCertain = value !== "off" && version === world.codes.version;
    const enrolment = isCertain ? value : undefined;
    world.devices.push({ text: answer.device, password, enrolment, isForgotten: false });
  }
  const { label } = world.sessions.started(answer.token, from);
  return `${answer.kind}, ${label}`;
}

export async function changePassword(world: World, step: Step): Promise<string> {
  const { outcome, user } = await visit(world, step);
  if (user === undefined) return outcome;
  const { passwords, random } = world;
  const possible = passwords.possible();
  const currentPassword = random.pick(possible) ?? "";
  const next = `${usernameOf(currentPassword)}/${nextNumber(world)}`;
  const learn = passwords.changing(currentPassword, next);
  const form = { currentPassword, newPassword: next, confirmPassword: next };
  const result = await world.request(step.life, () =>
    change(step.life.rules, user.id, form, step.client),
  );
  if (result === undefined) return FAILED;
  const { kind } = result.answer;
  if (kind === "changed") {
    world.log.accepted("password_change", step);
    promise(!passwords.isReplaced(currentPassword), "a change of the password is lost");
  }
  learn(kind === "changed");
  promise(
    kind === "changed" || kind === "current-password-incorrect",
    `the password is not changed: ${kind}`,
  );
  return kind;
}

/** A password begins with the username, since any of several setups may be the first. */
export const usernameOf = (password: string): string => password.split("/")[0] ?? "";
