import type { ServerLog } from "../../core/base/server-log.ts";
import type { Certificate } from "./certificate.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** A certificate that expires within this time counts as ending soon. */
export const SOON_MS: number = 14 * DAY_MS;

/**
 * Logs a certificate that has expired, or that expires within 14 days: at once and again each day.
 * Call it often, with the certificate in use. Another certificate is logged at once again.
 */
export function createExpiryWarning(
  now: () => number,
  log: Pick<ServerLog, "warn">,
): (certificate: Certificate | undefined) => void {
  let warned: { readonly fingerprint: string; readonly at: number } | undefined;
  return (certificate) => {
    if (certificate === undefined) return;
    const { fingerprint, notAfter } = certificate;
    const at = now();
    if (notAfter.getTime() > at + SOON_MS) return;
    if (warned?.fingerprint === fingerprint && at < warned.at + DAY_MS) return;
    warned = { fingerprint, at };
    const until = notAfter.toISOString();
    const text = notAfter.getTime() > at ? "expires soon" : "has expired";
    log.warn({ until }, `the certificate of TLS_CERT_FILE ${text}: replace both of its files`);
  };
}
