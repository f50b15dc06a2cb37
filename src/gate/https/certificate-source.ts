import { setTimeout as sleep } from "node:timers/promises";
import type { Settings } from "../settings/settings.ts";
import type { Certificate } from "./certificate.ts";
import type { ChallengeResponder } from "./challenges.ts";

/** The certificates that the gate currently has. */
export interface CertificateSource {
  current(): readonly Certificate[];
  /** Calls back now, and after each change. */
  onChange(listener: () => void): void;
  stop(): Promise<void>;
}

/** A certificate source, and its connections to the gate. */
export interface Certificates {
  readonly source: CertificateSource;
  /** Set only with a certificate authority. */
  readonly challenges: ChallengeResponder | undefined;
  /** Starts requesting missing certificates. Call it once the gate answers over plain HTTP. */
  begin(): void;
  readonly setUpDomain: ((domain: string) => Promise<void>) | undefined;
}

export type CertificateSettings = Pick<
  Settings,
  "dataDir" | "httpsPort" | "tlsCertFile" | "tlsKeyFile" | "acmeDirectoryUrl" | "acmeCa"
>;

/** The certificate that covers the host; the first one for no host or an unknown one. */
export function certificateFor(
  source: Pick<CertificateSource, "current">,
  host: string | undefined,
): Certificate | undefined {
  const current = source.current();
  const covering = host === undefined ? undefined : current.find((one) => one.covers(host));
  return covering ?? current[0];
}

export function earliestExpiry(source: Pick<CertificateSource, "current">): Date | undefined {
  const ends = source.current().map(({ notAfter }) => notAfter.getTime());
  return ends.length === 0 ? undefined : new Date(Math.min(...ends));
}

/** Polls, because file watchers miss links and folders that are replaced. */
const POLL_MS = 1_000;

/** Runs `check` now and every second until `stop` aborts. `check` must not reject. */
export async function poll(check: () => Promise<void>, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    await check();
    await sleep(POLL_MS, undefined, { signal: stop, ref: false }).catch(() => {});
  }
}

export interface ChangeEvent extends Pick<CertificateSource, "onChange"> {
  emit(): void;
}

export function createChangeEvent(): ChangeEvent {
  const listeners: (() => void)[] = [];
  return {
    onChange(listener) {
      listeners.push(listener);
      listener();
    },
    emit() {
      for (const listener of listeners) listener();
    },
  };
}
