import { createHmac } from "node:crypto";
import { type Attack, forEach } from "../attack.ts";
import { Skipped, Undecided } from "../errors.ts";
import type { HttpResponse } from "../http/response.ts";
import { freshSession } from "../people.ts";
import { type Account, isSuccess, newAddress, send, signIn, type Target } from "../target.ts";

const STEP_MS = 30_000;
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
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
    const { secret, used, recoveryCodes } = await turnOn(target, account);
    const [recoveryCode = "", unused = ""] = recoveryCodes;
    const refused = async (what: string, code?: string): Promise<void> => {
      tally.tried();
      if (isSuccess(await signInWith(target, account, code))) tally.gotThrough(what);
    };
    await refused("without a code");
    await refused("with an empty code", "");
    await refused("with the code that turned codes on", used);

    const next = codeOf(secret, Math.floor(Date.now() / STEP_MS) + 1);
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

/** Turns codes on as a browser does. */
async function turnOn(target: Target, { token: session }: Account) {
  const begun = await send(target, { path: "/account/codes/begin", form: {}, session });
  if (begun.status === 404) throw new Skipped("the server offers no one-time codes");
  const [, key = ""] = /[?&;]secret=([A-Z2-7]+)/.exec(begun.body) ?? [];
  const [, sealed = ""] = /name="sealed" value="([^"]+)"/.exec(begun.body) ?? [];
  const secret = decodeBase32(key);
  const used = codeOf(secret, Math.floor(Date.now() / STEP_MS));
  const on = await send(target, {
    path: "/account/codes/confirm",
    form: { sealed, code: used },
    session,
  });
  const recoveryCodes = on.body.match(/\b\d{5}(?:-\d{5}){4}\b/g) ?? [];
  if (recoveryCodes.length === 0) throw new Undecided("one-time codes cannot be turned on");
  return { secret, used, recoveryCodes };
}

function decodeBase32(text: string): Buffer {
  const bits = [...text].map((one) => BASE32.indexOf(one).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** RFC 6238: SHA-1, six digits. */
function codeOf(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac("sha1", secret).update(counter).digest();
  const number = digest.readUInt32BE((digest.at(-1) ?? 0) & 15) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, "0");
}
