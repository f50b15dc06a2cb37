import type { TestContext } from "node:test";
import type { Attack, Need } from "../../src/attack/attack.ts";
import { attacks } from "../../src/attack/attacks.ts";
import { type Finding, findTarget } from "../../src/attack/find.ts";
import { type Result, runAttacks } from "../../src/attack/run.ts";
import { type SmallDoorOptions, startSmallDoor } from "./small-door.ts";

export const EVERYTHING: ReadonlySet<Need> = new Set(["account", "disturb", "fresh", "workshop"]);

/** Up to the attack that is meant, those that it builds on: the race makes the account. */
export function attackNamed(name: string): Attack {
  const attack = attacks.find((one) => one.name === name);
  if (attack === undefined) throw new Error(`there is no attack ${name}`);
  return attack;
}

const BEFORE_THE_ACCOUNT = ["setup-token", "markup-in-setup", "setup-race"];

const withItsAccount = (attack: Attack): readonly Attack[] =>
  BEFORE_THE_ACCOUNT.includes(attack.name) ? [attack] : [attackNamed("setup-race"), attack];

/** One attack on a server that has just been started, with everything allowed. */
export async function attackFresh(
  finding: Pick<Finding, "url" | "workshop">,
  attack: Attack,
): Promise<Result> {
  const target = await findTarget({
    guarded: [],
    knownSecrets: ["known"],
    fresh: true,
    ...finding,
  });
  const results = await runAttacks(target, {
    attacks: withItsAccount(attack),
    granted: EVERYTHING,
    withinMs: 60_000,
  });
  const result = results.at(-1);
  if (result === undefined) throw new Error("nothing was tried");
  return result;
}

export async function attackDoor(
  t: TestContext,
  attack: Attack,
  options: SmallDoorOptions = {},
): Promise<Result> {
  return attackFresh(await startSmallDoor(t, options), attack);
}
