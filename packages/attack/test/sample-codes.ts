import { randomBytes } from "node:crypto";
import { createRecoveryCodes } from "../../../src/features/codes/recovery-codes.ts";
import { createCodeSecret, encodeBase32, findStep } from "../../../src/features/codes/totp.ts";
import type { Behaviour, Fields, Memory, User } from "./sample-behaviour.ts";

/** The one-time codes of a user of the sample server, with the secret in plain text. */
export interface SampleCodes {
  /** What the form that turns them on carries. */
  readonly sealed: string;
  readonly secret: Buffer;
  readonly recovery: Set<string>;
  lastStep: number;
  tries: number;
  isOn: boolean;
}

const newSampleCodes = (): SampleCodes => ({
  sealed: randomBytes(32).toString("base64url"),
  secret: createCodeSecret(),
  recovery: new Set(createRecoveryCodes()),
  lastStep: 0,
  tries: 0,
  isOn: false,
});

export function codesOf({ codes }: Memory, { id }: User): SampleCodes {
  const found = codes.get(id) ?? newSampleCodes();
  codes.set(id, found);
  return found;
}

const MAX_TRIES = 5;

/** Uses up the code. */
export function useSampleCode(codes: SampleCodes, code: string): boolean {
  if (code === "") return false;
  codes.tries += 1;
  return codes.tries <= MAX_TRIES && isUnused(codes, code);
}

export function isUnused(codes: SampleCodes, code: string): boolean {
  if (codes.recovery.delete(code)) return true;
  const step = findStep(codes.secret, code, Date.now(), codes.lastStep);
  codes.lastStep = step ?? codes.lastStep;
  return step !== undefined;
}

/** Answers `POST /account/codes/...` with a status and a body. */
export function answerCodes(
  codes: SampleCodes,
  path: string,
  fields: Fields,
  { codeFits, sealedFits }: Pick<Behaviour, "codeFits" | "sealedFits">,
): readonly [status: number, body: string] {
  const code = fields.get("code") ?? "";
  switch (path) {
    case "/account/codes/begin":
      return [
        200,
        `<input name="sealed" value="${codes.sealed}">?secret=${encodeBase32(codes.secret)}`,
      ];
    case "/account/codes/confirm":
      codes.isOn = sealedFits(fields.get("sealed") ?? "", codes.sealed) && isUnused(codes, code);
      return codes.isOn ? [200, [...codes.recovery].join("<br>")] : [422, ""];
    default:
      return codeFits(codes, code) ? [200, "off"] : [422, ""];
  }
}
