import { signIn } from "../../../src/features/sign-in/sign-in.ts";
import { getErrorCode } from "../../../src/lib/fault.ts";
import type { Life } from "../gate.ts";
import { promise } from "../model/violation.ts";
import type { World } from "../world.ts";
import { type Action, FAILED, nextNumber } from "./step.ts";

/** More than the queue of the hashes holds. */
const CROWD = 24;

/** A network sends as many sign-ins as it can, and a client of another one tries to sign in too. */
export const flood: Action = async (world, { life }) => {
  const crowd = Array.from({ length: CROWD }, () => signInFrom("2001:db8:f::", world, life));
  const other = await signInFrom(`2001:db8:${next(world)}::`, world, life);
  await Promise.all(crowd);
  promise(other !== "overloaded", "a flood from one network refuses a client of another");
  return other ?? FAILED;
};

/** With a username that is unknown, from an address that is used once. */
async function signInFrom(network: string, world: World, life: Life): Promise<string | undefined> {
  const attempt = { username: "nobody", password: "", remoteAddress: `${network}${next(world)}` };
  const result = await world.request(life, async () => {
    try {
      return (await signIn(life.rules, attempt)).kind;
    } catch (error) {
      if (getErrorCode(error) === "overloaded") return "overloaded";
      throw error;
    }
  });
  promise(result?.answer !== "signed-in", "an unknown user signs in");
  return result?.answer;
}

const next = (world: World): string => nextNumber(world).toString(16);
