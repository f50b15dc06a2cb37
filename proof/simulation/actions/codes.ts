import {
  beginCodes as begin,
  confirmCodes,
  turnOffCodes as turnOff,
} from "../../../src/features/codes/manage-codes.ts";
import { computeCode, getStep } from "../../../src/features/codes/totp.ts";
import { decodeBase32 } from "../../../test/support/one-time-codes.ts";
import type { Life } from "../gate.ts";
import type { CodeHolder, Enrolment } from "../model/enrolment.ts";
import { promise } from "../model/violation.ts";
import type { World } from "../world.ts";
import { FAILED, type Step, visit } from "./step.ts";

/** What a client enters as its code. */
export interface EnteredCode {
  readonly text: string;
  /** Checks that the code was valid, and records that it is used up. */
  accepted(): void;
}

/** Any code of the account, new, used, of an earlier step, or wrong, if it may use codes. */
export function enterCode(
  world: World,
  life: Life,
  { codes, enrolments }: CodeHolder = world,
): EnteredCode {
  const { random } = world;
  const { version, value } = codes;
  const of = random.chance(0.9) ? enrolments.at(-1) : random.pick(enrolments);
  const { text, id } = of === undefined ? NO_CODE : chooseCode(of, world, life);
  return {
    text,
    accepted() {
      const isCertain = value !== undefined && codes.version === version;
      if (!isCertain || value === "off") return;
      promise(of === value && id !== "", "a wrong code is accepted");
      promise(!value.used.has(id), "a code is accepted twice");
      value.used.add(id);
    },
  };
}

const NO_CODE = { text: "", id: "" };

function chooseCode({ key, recoveryCodes }: Enrolment, { random }: World, life: Life) {
  const kind = random.next();
  if (kind < 0.2) return NO_CODE;
  if (kind < 0.3) return { text: "12345", id: "" };
  if (kind < 0.6) {
    const text = random.pick(recoveryCodes.slice(0, 3)) ?? "";
    return { text, id: text };
  }
  const step = getStep(life.now()) - random.below(2);
  return { text: computeCode(key, step), id: String(step) };
}

/** How often a member turns codes on or off. */
const MEMBERS = 0.5;

const anyHolder = (world: World): CodeHolder =>
  (world.random.chance(MEMBERS) && world.random.pick(world.members)) || world;

export async function beginCodes(world: World, step: Step): Promise<string> {
  const { sessions, codes, enrolments } = anyHolder(world);
  const { outcome, user } = await visit(world, step, sessions);
  const { rules } = step.life;
  if (user === undefined) return outcome;
  const { value, version } = codes;
  const begun = await world.request(step.life, () => begin(rules, user.id));
  if (begun === undefined) return FAILED;
  const { answer } = begun;
  if (answer.kind === "already-on")
    promise(value !== "off" || version !== codes.version, "codes are on without a confirmation");
  if (answer.kind !== "begun") return answer.kind;
  const key = decodeBase32(answer.begun.secret);
  const at = getStep(step.life.now());
  const form = { sealed: answer.begun.sealed, code: computeCode(key, at) };
  const learn = codes.changing();
  const result = await world.request(step.life, () =>
    confirmCodes(rules, user.id, form, step.client),
  );
  if (result?.answer.kind === "on") {
    world.log.accepted("codes_on", step);
    const { recoveryCodes } = result.answer;
    const enrolment: Enrolment = { key, recoveryCodes, used: new Set([String(at)]) };
    enrolments.push(enrolment);
    learn({ to: enrolment });
    return "on";
  }
  learn(result && "unchanged");
  return result?.answer.kind ?? FAILED;
}

export async function turnOffCodes(world: World, step: Step): Promise<string> {
  const { sessions, codes } = anyHolder(world);
  const { outcome, user } = await visit(world, step, sessions);
  const { rules } = step.life;
  if (user === undefined) return outcome;
  const learn = codes.changing();
  const result = await world.request(step.life, () => turnOff(rules, user, step.client));
  if (result === undefined) learn(undefined);
  else learn(result.answer === "off" ? { to: "off" } : "unchanged");
  if (result?.answer === "off") world.log.accepted("codes_off", step);
  return result?.answer ?? FAILED;
}
