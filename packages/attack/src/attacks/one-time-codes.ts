import { type Attack, forEach } from "../attack.ts";
import { codeShown, turnCodesOn } from "../codes.ts";
import { Undecided } from "../errors.ts";
import type { HttpResponse } from "../http/response.ts";
import { freshSession } from "../people.ts";
import { type Account, isSuccess, newAddress, signIn, type Target } from "../target.ts";

/** More than anyone types in a minute, each from another address. */
const GUESSES = 20;
const AT_ONCE = 8;

export const oneTimeCodes: Attack = {
  name: "one-time-codes",
  about: "sign-ins without a code, with used codes, and with many guesses from many addresses",
  meaning: "An attacker who has the password gets in without the phone.",
  noun: "sign-ins",
  verb: "accepted",
  needs: ["account", "fresh"],

  async run(target, tally) {
    const account = await freshSession(target);
    const { secret, used, recoveryCodes } = await turnCodesOn(target, account.token);
    const [recoveryCode = "", unused = ""] = recoveryCodes;
    const refused = async (what: string, code?: string): Promise<void> => {
      tally.tried();
      if (isSuccess(await signInWith(target, account, code))) tally.gotThrough(what);
    };
    await refused("without a code");
    await refused("with an empty code", "");
    await refused("with the code that turned codes on", used);

    const next = codeShown(secret, 1);
    if (!isSuccess(await signInWith(target, account, next))) {
      throw new Undecided("the next code is not accepted");
    }
    await refused("with a used code", next);

    let accepted = 0;
    await forEach(Array.from({ length: AT_ONCE }), AT_ONCE, async () => {
      tally.tried();
      if (isSuccess(await signInWith(target, account, recoveryCode))) accepted += 1;
    });
    if (accepted === 0) throw new Undecided("a recovery code is not accepted");
    if (accepted > 1) tally.gotThrough(`one recovery code, ${accepted} times`);

    for (let guess = 0; guess < GUESSES; guess += 1) {
      await refused("with a guessed code", String(guess).padStart(6, "0"));
    }
    await refused(`after ${GUESSES} guesses from as many addresses, within a minute`, unused);
  },
};

/** A sign-in from an address of its own, which the limit of addresses does not stop. */
async function signInWith(
  target: Target,
  { username, password }: Account,
  code?: string,
): Promise<HttpResponse> {
  const fields = { username, password, ...(code === undefined ? {} : { code }) };
  return signIn(target, fields, { from: await newAddress(target) });
}
