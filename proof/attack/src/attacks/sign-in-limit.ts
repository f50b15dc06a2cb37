import { randomBytes } from "node:crypto";
import { type Attack, forEach, type Tally } from "../attack.ts";
import { Undecided } from "../errors.ts";
import type { HttpRequest } from "../http/request.ts";
import type { HttpResponse } from "../http/response.ts";
import { loginVariants } from "../payloads/login-variants.ts";
import {
  type Account,
  comparableText,
  isSuccess,
  newAddress,
  ownHost,
  requireAccount,
  signIn,
  type Target,
} from "../target.ts";

const LIMIT = 5;
const WINDOW_MS = 60_000;
const AT_ONCE = 32;

export const signInLimit: Attack = {
  name: "sign-in-limit",
  about: "more sign-ins than the limit allows, with claimed addresses and other request forms",
  meaning: "An attacker can try any number of passwords.",
  noun: "sign-ins",
  verb: "allowed past the limit",
  needs: ["account", "disturb"],

  async run(target, tally) {
    const account = await requireAccount(target);
    const from = target.fresh ? await newAddress(target) : undefined;
    const startedAt = performance.now();
    const wrong = await useUp(target, from);
    const denied = await attempt(target, account, { from });
    tally.tried();
    if (isSuccess(denied)) tally.gotThrough("there is no limit");
    else if (comparableText(denied) !== comparableText(wrong)) {
      tally.gotThrough("a denied sign-in differs from a failed one");
    }
    for (const [what, request] of loginVariants(ownHost(target))) {
      if (performance.now() - startedAt > WINDOW_MS - 5_000) {
        throw new Undecided("it took longer than the window of the rate limit");
      }
      tally.tried();
      if (isSuccess(await attempt(target, account, { ...request, from }))) tally.gotThrough(what);
    }
    if (target.fresh) await atOnce(target, account, tally);
  },
};

function attempt(
  target: Target,
  { username, password }: Account,
  request: Partial<HttpRequest>,
): Promise<HttpResponse> {
  return signIn(target, { username, password }, request);
}

/** Uses a random username, so that the log does not fill with real ones. */
async function useUp(target: Target, from: string | undefined): Promise<HttpResponse> {
  const username = `nobody-${randomBytes(6).toString("hex")}`;
  let response = await signIn(target, { username, password: "wrong" }, { from });
  for (let count = 1; count < LIMIT; count += 1) {
    response = await signIn(target, { username, password: "wrong" }, { from });
  }
  return response;
}

/** A limiter that counts after its check would allow all attempts that arrive in between. */
async function atOnce(target: Target, account: Account, tally: Tally): Promise<void> {
  const from = await newAddress(target);
  let admitted = 0;
  await forEach(Array.from({ length: AT_ONCE }), AT_ONCE, async () => {
    tally.tried();
    if (isSuccess(await attempt(target, account, { from }))) admitted += 1;
  });
  if (admitted > LIMIT) tally.gotThrough(`${admitted} of ${AT_ONCE} at the same moment`);
}
