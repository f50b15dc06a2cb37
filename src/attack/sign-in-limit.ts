import { randomBytes } from "node:crypto";
import type { Answer } from "./answers.ts";
import type { Asking } from "./ask.ts";
import { type Attack, CannotTell, forEach, type Tally } from "./attack.ts";
import { otherWays } from "./spoofing.ts";
import {
  type Account,
  accountOf,
  isSuccess,
  newAddress,
  ownHost,
  sightOf,
  signIn,
  type Target,
} from "./target.ts";

const LIMIT = 5;
const WINDOW_MS = 60_000;
const AT_ONCE = 32;

export const signInLimit: Attack = {
  name: "sign-in-limit",
  about: "more sign-ins than the limit allows, by addresses of one's own making and other doors",
  meaning: "Somebody can try as many passwords as they like.",
  noun: "sign-ins",
  verb: "admitted past the limit",
  needs: ["account", "disturb"],

  async run(target, tally) {
    const account = await accountOf(target);
    const from = target.fresh ? await newAddress(target) : undefined;
    const startedAt = performance.now();
    const wrong = await useUp(target, from);
    const denied = await attempt(target, account, { from });
    tally.tried();
    if (isSuccess(denied)) tally.gotThrough("there is no limit at all");
    else if (sightOf(denied) !== sightOf(wrong)) {
      tally.gotThrough("a denied sign-in can be told from a wrong one");
    }
    for (const [what, asking] of otherWays(ownHost(target))) {
      if (performance.now() - startedAt > WINDOW_MS - 5_000) {
        throw new CannotTell("it took longer than the window of the limit");
      }
      tally.tried();
      if (isSuccess(await attempt(target, account, { ...asking, from }))) tally.gotThrough(what);
    }
    if (target.fresh) await atOnce(target, account, tally);
  },
};

function attempt(
  target: Target,
  { username, password }: Account,
  asking: Partial<Asking>,
): Promise<Answer> {
  return signIn(target, { username, password }, asking);
}

/** Attempts of nobody's, so that the log does not fill with names. */
async function useUp(target: Target, from: string | undefined): Promise<Answer> {
  const username = `nobody-${randomBytes(6).toString("hex")}`;
  let answer = await signIn(target, { username, password: "wrong" }, { from });
  for (let count = 1; count < LIMIT; count += 1) {
    answer = await signIn(target, { username, password: "wrong" }, { from });
  }
  return answer;
}

/** A limit that looks first and counts later lets through all that come in between. */
async function atOnce(target: Target, account: Account, tally: Tally): Promise<void> {
  const from = await newAddress(target);
  let admitted = 0;
  await forEach(Array.from({ length: AT_ONCE }), AT_ONCE, async () => {
    tally.tried();
    if (isSuccess(await attempt(target, account, { from }))) admitted += 1;
  });
  if (admitted > LIMIT) tally.gotThrough(`${admitted} of ${AT_ONCE} at the same moment`);
}
