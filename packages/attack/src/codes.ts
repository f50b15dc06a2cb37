import { createHmac } from "node:crypto";
import { Skipped, Undecided } from "./errors.ts";
import { send, type Target } from "./target.ts";

const STEP_MS = 30_000;
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** What a browser gets when it begins to turn codes on. */
export interface BegunCodes {
  readonly secret: Buffer;
  readonly sealed: string;
}

/** @throws Skipped if the server offers none */
export async function beginCodes(target: Target, session: string): Promise<BegunCodes> {
  const begun = await send(target, { path: "/account/codes/begin", form: {}, session });
  if (begun.status === 404) throw new Skipped("the server offers no one-time codes");
  const [, key = ""] = /[?&;]secret=([A-Z2-7]+)/.exec(begun.body) ?? [];
  const [, sealed = ""] = /name="sealed" value="([^"]+)"/.exec(begun.body) ?? [];
  return { secret: decodeBase32(key), sealed };
}

export interface TurnedOnCodes {
  readonly secret: Buffer;
  /** The code that has turned them on. */
  readonly used: string;
  readonly recoveryCodes: readonly string[];
  /** The session with which it is proven now. */
  readonly token: string;
}

/** Turns codes on as a browser does. */
export async function turnCodesOn(target: Target, session: string): Promise<TurnedOnCodes> {
  const { secret, sealed } = await beginCodes(target, session);
  const used = codeShown(secret);
  const on = await send(target, {
    path: "/account/codes/confirm",
    form: { sealed, code: used },
    session,
  });
  const recoveryCodes = on.body.match(/\b\d{5}(?:-\d{5}){4}\b/g) ?? [];
  if (recoveryCodes.length === 0) throw new Undecided("one-time codes cannot be turned on");
  return { secret, used, recoveryCodes, token: on.session ?? session };
}

/** What the phone shows now, or some steps later. */
export const codeShown = (secret: Buffer, steps = 0): string =>
  codeOf(secret, Math.floor(Date.now() / STEP_MS) + steps);

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
