import { readFile } from "node:fs/promises";
import { getErrorMessage } from "../../lib/fault.ts";
import type { ServerLog } from "../../lib/server-log.ts";
import { poll } from "../poll.ts";
import {
  type Certificate,
  CertificateSource,
  type Certificates,
  parseCertificate,
} from "./certificate.ts";

/** The files are polled, because file watchers miss links and folders that are replaced. */
const POLL_MS = 1_000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** A certificate that expires within this time is logged as ending soon. */
export const EXPIRES_SOON_MS: number = 14 * DAY_MS;

interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
  readonly pollMs?: number;
}

/**
 * Serves the operator's own certificate. Changed files take effect once the key matches the chain.
 * If the certificate has expired or expires soon, a warning is logged at once and every day.
 */
export async function watchCertificateFiles(
  { certFile, keyFile, pollMs = POLL_MS }: CertificateFiles,
  now: () => number,
  log: ServerLog,
): Promise<Certificates> {
  const source = new CertificateSource();
  let [last, warnedAt] = ["", Number.NEGATIVE_INFINITY];
  const load = async (): Promise<void> => {
    const [cert, key] = await readPair(certFile, keyFile);
    if (cert + key === last) return;
    source.replace([parseCertificate(cert, key)]);
    [last, warnedAt] = [cert + key, Number.NEGATIVE_INFINITY];
  };
  await load();

  const warnOfExpiry = ({ notAfter }: Certificate): void => {
    const at = now();
    if (notAfter.getTime() > at + EXPIRES_SOON_MS || at < warnedAt + DAY_MS) return;
    warnedAt = at;
    const until = notAfter.toISOString();
    const text = notAfter.getTime() > at ? "expires soon" : "has expired";
    log.warn({ until }, `the certificate of TLS_CERT_FILE ${text}: replace both of its files`);
  };
  let [lastReason, reported] = ["", ""];
  const check = async (): Promise<void> => {
    const reason = await load().then(() => "", getErrorMessage);
    // The files may be incomplete while they are written, so a reason is logged once it occurs
    // twice.
    if (reason === lastReason && reason !== reported) {
      if (reason !== "") log.warn({ reason }, "the changed certificate files cannot be used yet");
      reported = reason;
    }
    lastReason = reason;
    for (const certificate of source.current) warnOfExpiry(certificate);
  };
  return { source, ...poll(check, pollMs) };
}

export const readCertificateFiles = async (
  certFile: string,
  keyFile: string,
): Promise<Certificate> => parseCertificate(...(await readPair(certFile, keyFile)));

const readPair = (certFile: string, keyFile: string): Promise<[cert: string, key: string]> =>
  Promise.all([readFile(certFile, "utf8"), readFile(keyFile, "utf8")]);
