import type { Codes, UserId } from "../records.ts";
import type { Seals } from "../sessions/seals.ts";
import { recoveryHash } from "./recovery-codes.ts";
import { stepOfCode } from "./totp.ts";

/** So many wrong codes without a right one are judged: a guess succeeds with 0.03 %. */
export const MAX_WRONG_CODES = 100;

/** What the secret of an account is sealed for. */
export const purposeOf = (id: UserId): string => `one-time codes of ${id}`;

export type JudgedCode =
  /** `secret` is sealed again, so that it follows a change of the signing secret. */
  | { readonly kind: "code"; readonly step: number; readonly secret: string }
  /** Needs no signing secret, so it also works after that was lost, and unlocks codes. */
  | { readonly kind: "recovery-code"; readonly hash: string }
  | { readonly kind: "wrong" }
  /** Only a recovery code is still judged. */
  | { readonly kind: "locked" }
  /** The secret is damaged, or sealed with another signing secret. */
  | { readonly kind: "unreadable" };

/** Judges what was entered as a code of an account, with or without spaces and hyphens. */
export function judgeCode(
  seals: Seals,
  { id, codes }: { readonly id: UserId; readonly codes: Codes },
  entered: string,
  at: number,
): JudgedCode {
  const digits = entered.replace(/[\s-]/g, "");
  const isLocked = codes.wrong >= MAX_WRONG_CODES;
  if (/^\d{25}$/.test(digits)) {
    const hash = recoveryHash(digits);
    if (codes.recovery.includes(hash)) return { kind: "recovery-code", hash };
    return { kind: isLocked ? "locked" : "wrong" };
  }
  if (isLocked) return { kind: "locked" };
  const secret = seals.open(codes.secret, purposeOf(id));
  if (secret === undefined) return { kind: "unreadable" };
  const step = stepOfCode(secret, digits, at, codes.lastStep);
  if (step === undefined) return { kind: "wrong" };
  return { kind: "code", step, secret: seals.seal(secret, purposeOf(id)) };
}
