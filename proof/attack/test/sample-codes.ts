import { newRecoveryCodes } from "../../../src/core/codes/recovery-codes.ts";
import { base32, newCodeSecret, stepOfCode } from "../../../src/core/codes/totp.ts";
import type { Fields } from "./sample-behaviour.ts";

/** The one-time codes of the sample server's user, with the secret in plain text. */
export interface SampleCodes {
  readonly secret: Buffer;
  readonly recovery: Set<string>;
  lastStep: number;
  tries: number;
  isOn: boolean;
}

export const newSampleCodes = (): SampleCodes => ({
  secret: newCodeSecret(),
  recovery: new Set(newRecoveryCodes()),
  lastStep: 0,
  tries: 0,
  isOn: false,
});

const MAX_TRIES = 5;

/** Uses up the code. */
export function useSampleCode(codes: SampleCodes, code: string): boolean {
  if (code === "") return false;
  codes.tries += 1;
  return codes.tries <= MAX_TRIES && isUnused(codes, code);
}

export function isUnused(codes: SampleCodes, code: string): boolean {
  if (codes.recovery.delete(code)) return true;
  const step = stepOfCode(codes.secret, code, Date.now(), codes.lastStep);
  codes.lastStep = step ?? codes.lastStep;
  return step !== undefined;
}

/** Answers `POST /account/codes/...` with a status and a body. */
export function answerCodes(
  codes: SampleCodes,
  path: string,
  fields: Fields,
  codeFits: (codes: SampleCodes, code: string) => boolean,
): readonly [status: number, body: string] {
  const code = fields.get("code") ?? "";
  switch (path) {
    case "/account/codes/begin":
      return [200, `<input name="sealed" value="x">?secret=${base32(codes.secret)}`];
    case "/account/codes/confirm":
      codes.isOn = isUnused(codes, code);
      return codes.isOn ? [200, [...codes.recovery].join("<br>")] : [422, ""];
    default:
      return codeFits(codes, code) ? [200, "off"] : [422, ""];
  }
}
