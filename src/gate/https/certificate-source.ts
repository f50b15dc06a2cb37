import type { Settings } from "../settings/settings.ts";
import type { Certificate } from "./certificate.ts";
import type { ChallengeDesk } from "./challenges.ts";

/** The certificates that the gate has at the moment. */
export interface CertificateSource {
  current(): readonly Certificate[];
  /** Calls back now, and whenever a certificate has come in or gone. */
  onChange(listener: () => void): void;
  stop(): Promise<void>;
}

/** Where the gate's certificates come from. */
export interface Certificates {
  readonly source: CertificateSource;
  /** Only where certificates are asked of an authority. */
  readonly challenges: ChallengeDesk | undefined;
  /** Begins to ask for what is missing: to be called once the gate answers over plain HTTP. */
  begin(): void;
  readonly setUpDomain: ((domain: string) => Promise<void>) | undefined;
}

export type CertificateSettings = Pick<
  Settings,
  "dataDir" | "httpsPort" | "tlsCertFile" | "tlsKeyFile" | "acmeDirectoryUrl" | "acmeCa"
>;

/** The one that covers the name. Whoever names no host, or a strange one, gets the first. */
export function certificateFor(
  source: Pick<CertificateSource, "current">,
  host: string | undefined,
): Certificate | undefined {
  const current = source.current();
  const covering = host === undefined ? undefined : current.find((one) => one.covers(host));
  return covering ?? current[0];
}

/** When the first of them ends. */
export function earliestExpiry(source: Pick<CertificateSource, "current">): Date | undefined {
  const ends = source.current().map(({ notAfter }) => notAfter.getTime());
  return ends.length === 0 ? undefined : new Date(Math.min(...ends));
}
