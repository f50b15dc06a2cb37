import type { Certificate } from "./certificate.ts";

/** Contains the result of the last attempt for a name. Times are in milliseconds since 1970. */
export interface Progress {
  /** Counts the failures since the last success. */
  readonly failures: number;
  readonly lastAt: number;
  readonly nextAt: number;
  /** Records the time of the certificate request that the attempt handled. */
  readonly requestedAt?: number;
  /** Explains why the attempt failed. It is `undefined` after a success. */
  readonly cause?: string | undefined;
}

/** A `Date` cannot represent a later time. */
const MAX_TIME = 8.64e15;

/** Returns whether the numbers of a stored record are possible. Its file may be damaged. */
export const isPossible = ({ failures, lastAt, nextAt }: Progress): boolean =>
  [failures, lastAt, nextAt].every((number) => Math.abs(number) <= MAX_TIME);

const MAX_AHEAD_MS = 3 * 3_600_000;

/**
 * Returns whether the attempt was made while the clock was far ahead. Its pause could last for
 * years.
 */
export const isFarAhead = ({ lastAt }: Progress, now: number): boolean =>
  lastAt > now + MAX_AHEAD_MS;

export type Lifetime = Pick<Certificate, "notBefore" | "notAfter">;

const FIRST_PAUSE_MS = 60_000;
const PAUSES_GROW_BY = 4;
const MAX_PAUSE_MS = 12 * 3_600_000;
/** Let's Encrypt issues five certificates per week for a name. */
const MAX_REISSUE_PAUSE_MS = 48 * 3_600_000;

/** Returns the time at two thirds of the lifetime. Of 90 days, 30 remain to fix failures. */
export function getRenewalTime({ notBefore, notAfter }: Lifetime): number {
  const life = notAfter.getTime() - notBefore.getTime();
  return notBefore.getTime() + Math.floor((life * 2) / 3);
}

/**
 * Returns pauses of 1, 4, 16 and 64 minutes, then of hours, up to 12. These pauses stay below the
 * rate limits of authorities.
 */
export function getRetryPause(failures: number, askedForMs = 0): number {
  const growing = FIRST_PAUSE_MS * PAUSES_GROW_BY ** (failures - 1);
  return Math.max(askedForMs, Math.min(growing, MAX_PAUSE_MS));
}

/**
 * Returns the pause after a new certificate. A new certificate may already be due for renewal if
 * clocks are wrong, or if its lifetime began long ago.
 */
export const getReissuePause = (lifetime: Lifetime): number =>
  Math.min(lifetime.notAfter.getTime() - getRenewalTime(lifetime), MAX_REISSUE_PAUSE_MS);

/**
 * Returns when the next attempt is due. A newer request ends the pause, because the operator has
 * probably fixed the cause. Request times are only compared for equality, since clocks can be
 * wrong.
 */
export function getDueTime(
  lifetime: Lifetime | undefined,
  last: Progress | undefined,
  requestedAt: number,
): number {
  const wantedAt = lifetime === undefined ? 0 : getRenewalTime(lifetime);
  if (last === undefined || requestedAt !== last.requestedAt) return wantedAt;
  // The last attempt stored a certificate, but that certificate is missing now.
  const isLost = lifetime === undefined && last.failures === 0;
  return isLost ? wantedAt : Math.max(wantedAt, last.nextAt);
}
