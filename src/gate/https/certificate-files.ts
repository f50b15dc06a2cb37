import { readFile, stat } from "node:fs/promises";
import { messageOf } from "../../core/fault.ts";
import type { ServerLog } from "../../core/server-log.ts";
import { poll } from "../poll.ts";
import { type Certificate, readCertificate } from "./certificate.ts";
import { CertificateSource, type Certificates } from "./certificate-source.ts";

/** Polls, because file watchers miss links and folders that are replaced. */
const POLL_MS = 1_000;

/** Serves the operator's own certificate. Changed files take effect once key and chain match. */
export async function watchCertificateFiles(
  certFile: string,
  keyFile: string,
  log: ServerLog,
  pollMs: number = POLL_MS,
): Promise<Certificates> {
  const source = new CertificateSource();
  let lastState = await stateOf(certFile, keyFile);
  source.replace([await read(certFile, keyFile)]);

  const reload = async (): Promise<void> => {
    const state = await stateOf(certFile, keyFile);
    if (state === lastState) return;
    lastState = state;
    try {
      const next = await read(certFile, keyFile);
      if (next.fingerprint !== source.current[0]?.fingerprint) source.replace([next]);
    } catch (error) {
      // Perhaps only one of the two files is replaced yet: keep the old pair.
      log.warn({ reason: messageOf(error) }, "the changed certificate files cannot be used yet");
    }
  };
  return { source, ...poll(reload, pollMs) };
}

const read = async (certFile: string, keyFile: string): Promise<Certificate> =>
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
