import { readFile, stat } from "node:fs/promises";
import { messageOf } from "../../core/base/fault.ts";
import type { ServerLog } from "../../core/base/server-log.ts";
import { poll } from "../poll.ts";
import { type Certificate, readCertificate } from "./certificate.ts";
import { CertificateSource, type Certificates } from "./certificate-source.ts";
import { createExpiryWarning } from "./expiry-warning.ts";

/** Polls, because file watchers miss links and folders that are replaced. */
const POLL_MS = 1_000;

interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
  readonly pollMs?: number;
}

/**
 * Serves the operator's own certificate. Changed files take effect once key and chain match. One
 * that has expired, or soon will, is logged at the start and once a day.
 */
export async function watchCertificateFiles(
  { certFile, keyFile, pollMs = POLL_MS }: CertificateFiles,
  now: () => number,
  log: ServerLog,
): Promise<Certificates> {
  const source = new CertificateSource();
  let lastState = await stateOf(certFile, keyFile);
  source.replace([await readCertificateFiles(certFile, keyFile)]);

  const warnOfExpiry = createExpiryWarning(now, log);
  const check = async (): Promise<void> => {
    const state = await stateOf(certFile, keyFile);
    if (state !== lastState) {
      lastState = state;
      await readCertificateFiles(certFile, keyFile).then(
        (next) => source.replace([next]),
        // Perhaps only one of the two files is replaced yet: keep the old pair.
        (error) => {
          const fields = { reason: messageOf(error) };
          log.warn(fields, "the changed certificate files cannot be used yet");
        },
      );
    }
    warnOfExpiry(source.current[0]);
  };
  return { source, ...poll(check, pollMs) };
}

export const readCertificateFiles = async (
  certFile: string,
  keyFile: string,
): Promise<Certificate> =>
  readCertificate(await readFile(certFile, "utf8"), await readFile(keyFile, "utf8"));

/** A value that changes when one of the files is written, replaced or made readable. */
async function stateOf(...files: readonly string[]): Promise<string> {
  const states = files.map((file) =>
    stat(file, { bigint: true }).then(
      ({ ino, ctimeNs }) => `${ino} ${ctimeNs}`,
      () => "gone",
    ),
  );
  return (await Promise.all(states)).join(", ");
}
