import { createHash } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import type { Seals } from "../sessions/seals.ts";
import type { StoredUser, UserId } from "../store.ts";
import { newRecoveryCodes, recoveryHash } from "./recovery-codes.ts";
import { stepOfCode } from "./totp.ts";

/** So many wrong codes without a right one are judged: a guess succeeds with 0.03 %. */
const MAX_WRONG_CODES = 100;

/**
 * What an account that uses one-time codes keeps in its extra `codes`, as JSON. While codes are begun
 * and not confirmed, the extra is a mark of the last begin instead.
 */
interface CodeState {
  /** Sealed. */
  readonly secret: string;
  /** Codes of this step and of earlier ones are used up. */
  readonly lastStep: number;
  /** Hashes of the unused recovery codes. */
  readonly recovery: readonly string[];
  /** Wrong codes since the last right one. */
  readonly wrong: number;
}

const BEGUN = "begun ";

/** The extra of an account that has begun to turn codes on, and not since. */
export const begunMark = (sealed: string): string =>
  BEGUN + createHash("sha256").update(sealed).digest("base64url");

/** Whether an account with this extra signs in with codes. */
export const usesCodes = (codes: string | undefined): codes is string =>
  codes?.startsWith(BEGUN) === false;

const purposeOf = (id: UserId): string => `one-time codes of ${id}`;

/** The extra of an account that turns codes on, and its recovery codes. */
export function newCodeState(
  seals: Seals,
  id: UserId,
  secret: Uint8Array,
  lastStep: number,
): { readonly text: string; readonly recoveryCodes: readonly string[] } {
  const recoveryCodes = newRecoveryCodes();
  const state: CodeState = {
    secret: seals.seal(secret, purposeOf(id)),
    lastStep,
    recovery: recoveryCodes.map(recoveryHash),
    wrong: 0,
  };
  return { text: JSON.stringify(state), recoveryCodes };
}

/** Returns `undefined` for a text that is not the state of one-time codes. */
function parseState(text: string): CodeState | undefined {
  try {
    const { secret, lastStep, recovery, wrong = 0 } = JSON.parse(text);
    const isState =
      typeof secret === "string" &&
      Number.isSafeInteger(lastStep) &&
      Number.isSafeInteger(wrong) &&
      Array.isArray(recovery) &&
      recovery.every((hash) => typeof hash === "string");
    return isState ? { secret, lastStep, recovery, wrong } : undefined;
  } catch {
    return undefined;
  }
}

/** How many recovery codes are left; none if the state cannot be read. */
export const recoveryCodesLeft = (text: string): number => parseState(text)?.recovery.length ?? 0;

export type CodeUse =
  /** `next` is the extra after the use: the same code is used up. */
  | { readonly kind: "code" | "recovery-code"; readonly next: string }
  /** `next` counts it; after the last one, codes are locked. */
  | { readonly kind: "wrong" | "last-wrong"; readonly next: string }
  /** Only a recovery code is still judged, and unlocks codes. */
  | { readonly kind: "locked" }
  /** The state is damaged, or sealed with another secret. */
  | { readonly kind: "unreadable" };

/** Judges what was entered as a code of this account, with or without spaces and hyphens. */
export function useCode(
  { seals, clock }: { readonly seals: Seals; readonly clock: Pick<Clock, "now"> },
  { id, codes = "" }: StoredUser,
  entered: string,
): CodeUse {
  const state = parseState(codes);
  if (state === undefined) return { kind: "unreadable" };
  const digits = entered.replace(/[\s-]/g, "");
  if (/^\d{25}$/.test(digits)) return useRecoveryCode(state, digits);
  if (state.wrong >= MAX_WRONG_CODES) return { kind: "locked" };
  const secret = seals.open(state.secret, purposeOf(id));
  if (secret === undefined) return { kind: "unreadable" };
  const lastStep = stepOfCode(secret, digits, clock.now(), state.lastStep);
  if (lastStep === undefined) return countWrong(state);
  // Sealed again with each use, so that it follows a change of the signing secret.
  const next = { ...state, lastStep, secret: seals.seal(secret, purposeOf(id)), wrong: 0 };
  return { kind: "code", next: JSON.stringify(next) };
}

/** Needs no signing secret, so it also works after the secret was lost. */
function useRecoveryCode(state: CodeState, digits: string): CodeUse {
  const used = recoveryHash(digits);
  if (!state.recovery.includes(used)) return countWrong(state);
  const recovery = state.recovery.filter((hash) => hash !== used);
  return { kind: "recovery-code", next: JSON.stringify({ ...state, recovery, wrong: 0 }) };
}

function countWrong(state: CodeState): CodeUse {
  const wrong = state.wrong + 1;
  if (wrong > MAX_WRONG_CODES) return { kind: "locked" };
  const kind = wrong === MAX_WRONG_CODES ? "last-wrong" : "wrong";
  return { kind, next: JSON.stringify({ ...state, wrong }) };
}
