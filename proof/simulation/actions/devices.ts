import { forgetDevice } from "../../../src/features/codes/remembered-devices.ts";
import { signIn } from "../../../src/features/sign-in/sign-in.ts";
import { digestText } from "../../../src/lib/random-text.ts";
import { promise } from "../model/violation.ts";
import type { World } from "../world.ts";
import { usernameOf } from "./passwords.ts";
import { type Action, FAILED, type Step, visit } from "./step.ts";

/** Signs in without a code on a device that is remembered, or was. */
export const signInOnDevice: Action = async (world, { life, client }) => {
  const { random, passwords, codes, attempts, time } = world;
  const device = random.pick(world.devices);
  if (device === undefined) return "without a device";
  const { text, password, enrolment, isForgotten } = device;
  const isReplaced = passwords.isReplaced(password);
  const { value, version } = codes;
  const from = time.now();
  const counted = attempts.begin(life, client.remoteAddress);
  const attempt = { username: usernameOf(password), password, device: text, ...client };
  const result = await world.request(life, () => signIn(life.rules, attempt));
  if (result === undefined) return FAILED;
  const { answer } = result;
  promise(answer.kind !== "needs-setup", "the account of a device is not found");
  counted(answer.kind === "rate-limited" ? "denied" : "counted");
  if (answer.kind !== "signed-in") return answer.kind;
  world.log.accepted("signin", { life, client });
  promise(!isReplaced, "a wrong password is accepted on a device");
  const areOn = value !== undefined && value !== "off" && version === codes.version;
  const areOthers = enrolment !== undefined && enrolment !== value;
  promise(!(areOn && isForgotten), "a device that was forgotten needs no code");
  promise(!(areOn && areOthers), "a device needs no code after other codes were turned on");
  return `${answer.kind}, ${world.sessions.started(answer.token, from).label}`;
};

export async function forgetAnyDevice(world: World, step: Step): Promise<string> {
  const device = world.random.pick(world.devices);
  const { outcome, user } = await visit(world, step);
  const { rules } = step.life;
  if (user === undefined || device === undefined) return outcome;
  const id = digestText(device.text);
  const result = await world.request(step.life, () => forgetDevice(rules, user, id, step.client));
  if (result !== undefined) device.isForgotten = true;
  return result?.answer ?? FAILED;
}
