import type { AddressInfo, Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "node:tls";
import { messageOf } from "../../core/fault.ts";
import type { Certificate } from "./certificate.ts";
import type { CertificateSource } from "./certificate-source.ts";

const HANDSHAKE_WITHIN_MS = 5_000;
const AGAIN_AFTER_MS = 60_000;

/** Which certificates have stood the test: one that has not is not what browsers are sent to. */
export interface Proof {
  has(certificate: Certificate | undefined): boolean;
}

/** Makes a connection to the gate's own door for each certificate that comes in. */
export function createProof(
  server: Server,
  source: CertificateSource,
  now: () => number,
  log: { warn(fields: object, message: string): void },
): Proof {
  const proven = new Set<string>();
  const prove = async (certificate: Certificate): Promise<void> => {
    const { fingerprint } = certificate;
    while (server.listening && !proven.has(fingerprint) && source.current().includes(certificate)) {
      try {
        await handshake(server, certificate);
        proven.add(fingerprint);
      } catch (error) {
        log.warn({ reason: messageOf(error) }, "HTTPS does not work yet");
        await sleep(AGAIN_AFTER_MS, undefined, { ref: false });
      }
    }
  };
  const known = new WeakSet<Certificate>();
  source.onChange(() => {
    for (const certificate of source.current()) {
      if (known.has(certificate)) continue;
      known.add(certificate);
      prove(certificate);
    }
  });
  return {
    has: (certificate) =>
      certificate !== undefined &&
      proven.has(certificate.fingerprint) &&
      now() >= certificate.notBefore.getTime() &&
      now() < certificate.notAfter.getTime(),
  };
}

function handshake(server: Server, { fingerprint, names }: Certificate): Promise<void> {
  const { address, port } = server.address() as AddressInfo;
  const host = address === "::" ? "::1" : address === "0.0.0.0" ? "127.0.0.1" : address;
  const [servername] = names;
  return new Promise((resolve, reject) => {
    // Whether others trust the authority cannot be told here; that this very certificate is shown can.
    const options = { host, port, rejectUnauthorized: false, timeout: HANDSHAKE_WITHIN_MS };
    const socket = connect(servername === undefined ? options : { ...options, servername });
    socket.once("error", reject);
    socket.once("timeout", () => socket.destroy(new Error("the handshake takes too long")));
    socket.once("secureConnect", () => {
      const shown = socket.getPeerX509Certificate()?.fingerprint256;
      if (shown === fingerprint) resolve();
      else reject(new Error("another certificate is shown"));
      socket.destroy();
    });
  });
}
