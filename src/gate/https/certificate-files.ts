import { readFile, stat } from "node:fs/promises";
import { messageOf } from "../../core/fault.ts";
import type { ServerLog } from "../../core/server-log.ts";
import { type Certificate, readCertificate } from "./certificate.ts";
import { type CertificateSource, createChangeEvent, poll } from "./certificate-source.ts";

export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Serves the operator's own certificate. Changed files take effect once key and chain match. */
export async function watchCertificateFiles(
  files: CertificateFiles,
  log: ServerLog,
): Promise<CertificateSource> {
  const stopping = new AbortController();
  const { onChange, emit } = createChangeEvent();
  let lastState = await stateOf(files);
  let current = await read(files);

  const reload = async (): Promise<void> => {
    const state = await stateOf(files);
    if (state === lastState) return;
    lastState = state;
    try {
      const next = await read(files);
      if (next.fingerprint === current.fingerprint) return;
      current = next;
      emit();
    } catch (error) {
      // Perhaps only one of the two files is replaced yet: keep the old pair.
      log.warn({ reason: messageOf(error) }, "the changed certificate files cannot be used yet");
    }
  };
  const watching = poll(reload, stopping.signal);

  return {
    current: () => [current],
    onChange,
    async stop() {
      stopping.abort();
      await watching;
    },
  };
}

async function read({ certFile, keyFile }: CertificateFiles): Promise<Certificate> {
  return readCertificate(await readFile(certFile, "utf8"), await readFile(keyFile, "utf8"));
}

/** A value that changes when one of the files is written, replaced or made readable. */
async function stateOf({ certFile, keyFile }: CertificateFiles): Promise<string> {
  const states = await Promise.all(
    [certFile, keyFile].map((file) =>
      stat(file, { bigint: true }).then(
        ({ ino, ctimeNs }) => `${ino} ${ctimeNs}`,
        () => "gone",
      ),
    ),
  );
  return states.join(", ");
}
