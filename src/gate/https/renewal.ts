/** What is known of a name that wants a certificate. Times in milliseconds since 1970. */
export interface Attempts {
  /** Since the last success. */
  readonly failures: number;
  readonly lastAt: number;
  readonly nextAt: number;
}

export interface Lifetime {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

const FIRST_PAUSE_MS = 60_000;
const PAUSES_GROW_BY = 4;
const MAX_PAUSE_MS = 12 * 3_600_000;

/** At two thirds of its life: for 90 days, a month is left for whatever goes wrong. */
export function renewalAt({ notBefore, notAfter }: Lifetime): number {
  const life = notAfter.getTime() - notBefore.getTime();
  return notBefore.getTime() + Math.floor((life * 2) / 3);
}

/** 1, 4, 16 and 64 minutes, then hours, so that no authority loses its timeouts. */
export function pauseAfter(failures: number, askedForMs = 0): number {
  const growing = FIRST_PAUSE_MS * PAUSES_GROW_BY ** (failures - 1);
  return Math.max(askedForMs, Math.min(growing, MAX_PAUSE_MS));
}

/**
 * When the next attempt is due. `requestedAt` is when somebody last asked for the certificate, which
 * cuts a pause short: that person has mended something.
 */
export function dueAt(
  lifetime: Lifetime | undefined,
  attempts: Attempts | undefined,
  requestedAt: number,
): number {
  const wantedAt = lifetime === undefined ? 0 : renewalAt(lifetime);
  const isPausing =
    attempts !== undefined && attempts.failures > 0 && requestedAt <= attempts.lastAt;
  return isPausing ? Math.max(wantedAt, attempts.nextAt) : wantedAt;
}
