import type { Certificate } from "./certificate.ts";

/** The result of the last attempt for a name. Times in milliseconds since 1970. */
export interface Progress {
  /** Since the last success. */
  readonly failures: number;
  readonly lastAt: number;
  readonly nextAt: number;
  /** The time of the request that the attempt answered. */
  readonly requestedAt?: number;
  /** Why it failed; `undefined` after a success. */
  readonly cause?: string | undefined;
}

/** No later time can be a date. */
const MAX_TIME = 8.64e15;

/** Whether a record that was read has possible numbers: its file may be damaged. */
export const isPossible = ({ failures, lastAt, nextAt }: Progress): boolean =>
  [failures, lastAt, nextAt].every((number) => Math.abs(number) <= MAX_TIME);

const MAX_AHEAD_MS = 3 * 3_600_000;

/** Whether an attempt was made while the clock was far ahead: its pause could last for years. */
export const isFarAhead = ({ lastAt }: Progress, now: number): boolean =>
  lastAt > now + MAX_AHEAD_MS;

export type Lifetime = Pick<Certificate, "notBefore" | "notAfter">;

const FIRST_PAUSE_MS = 60_000;
const PAUSES_GROW_BY = 4;
const MAX_PAUSE_MS = 12 * 3_600_000;
/** Let's Encrypt issues five certificates a week for a name. */
const MAX_REISSUE_PAUSE_MS = 48 * 3_600_000;

/** At two thirds of the lifetime: of 90 days, 30 remain to fix failures. */
export function getRenewalTime({ notBefore, notAfter }: Lifetime): number {
  const life = notAfter.getTime() - notBefore.getTime();
  return notBefore.getTime() + Math.floor((life * 2) / 3);
}

/** 1, 4, 16 and 64 minutes, then hours, up to 12, to stay below the limits of authorities. */
export function getRetryPause(failures: number, askedForMs = 0): number {
  const growing = FIRST_PAUSE_MS * PAUSES_GROW_BY ** (failures - 1);
  return Math.max(askedForMs, Math.min(growing, MAX_PAUSE_MS));
}

/** A certificate may be due when it is new: clocks are wrong, or it began long ago. */
export const getReissuePause = (lifetime: Lifetime): number =>
  Math.min(lifetime.notAfter.getTime() - getRenewalTime(lifetime), MAX_REISSUE_PAUSE_MS);

/**
 * When the next attempt is due. A request that the last attempt has not answered ends the pause: the
 * operator has probably fixed the cause. The times of requests are compared for equality only, since
 * clocks can be wrong.
 */
export function getDueTime(
  lifetime: Lifetime | undefined,
  last: Progress | undefined,
  requestedAt: number,
): number {
  const wantedAt = lifetime === undefined ? 0 : getRenewalTime(lifetime);
  if (last === undefined || requestedAt !== last.requestedAt) return wantedAt;
  // The attempt has stored a certificate, which is not there any more.
  const isLost = lifetime === undefined && last.failures === 0;
  return isLost ? wantedAt : Math.max(wantedAt, last.nextAt);
}
