import assert from "node:assert/strict";
import { computeCode, getStep } from "../../src/features/codes/totp.ts";
import type { Answer } from "./client.ts";
import type { RunningGate } from "./gate.ts";
import { fieldNamed } from "./markup.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Reads a key as an authenticator app does, also in groups. */
export function decodeBase32(text: string): Buffer {
  const letters = [...text.replaceAll(" ", "")];
  const bits = letters.map((one) => ALPHABET.indexOf(one).toString(2).padStart(5, "0")).join("");
  const bytes = bits.match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}

/** What the home page shows after `POST /account/codes/begin`. */
export function begunIn(html: string): { readonly sealed: string; readonly key: string } {
  const [, key] = /<code dir="ltr">([A-Z2-7 ]+)<\/code>/.exec(html) ?? [];
  assert.ok(key !== undefined, `no key in ${html}`);
  return { key, sealed: fieldNamed(html, "sealed").value ?? "" };
}

/** What an authenticator app with this key shows now, or some steps later. */
export const codeShown = (key: string, steps = 0): string =>
  computeCode(decodeBase32(key), getStep(Date.now()) + steps);

/** Turns codes on as a user does, and returns the key and the answer to the first code. */
export async function turnCodesOn(
  { send }: Pick<RunningGate, "send">,
  session: string,
): Promise<{ readonly key: string; readonly answer: Answer }> {
  const begun = await send("/account/codes/begin", { session, form: {} });
  const { key, sealed } = begunIn(begun.body);
  const form = { sealed, code: codeShown(key) };
  const answer = await send("/account/codes/confirm", { session, form });
  assert.equal(answer.status, 200);
  return { key, answer };
}
