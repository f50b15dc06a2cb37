import type { AddressInfo, Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { connect, type TLSSocket } from "node:tls";
import { messageOf } from "../../core/fault.ts";
import type { Certificate } from "./certificate.ts";
import type { CertificateSource } from "./certificate-source.ts";

const TIMEOUT_MS = 5_000;
const RETRY_AFTER_MS = 60_000;

/** Records which certificates the HTTPS port has served: only these get redirects and HSTS. */
export interface HandshakeCheck {
  /** Also false outside the certificate's validity. */
  passed(certificate: Certificate | undefined): boolean;
}

/** Connects to the server once for each new certificate, and again after a failure. */
export function createHandshakeCheck(
  server: Server,
  source: CertificateSource,
  now: () => number,
  log: { warn(fields: object, message: string): void },
): HandshakeCheck {
  const passed = new Set<string>();
  const check = async (certificate: Certificate): Promise<void> => {
    const { fingerprint } = certificate;
    while (server.listening && !passed.has(fingerprint) && source.current().includes(certificate)) {
      try {
        await checkOnce(server, certificate);
        passed.add(fingerprint);
      } catch (error) {
        log.warn({ reason: messageOf(error) }, "HTTPS does not work yet");
        await sleep(RETRY_AFTER_MS, undefined, { ref: false });
      }
    }
  };
  const known = new WeakSet<Certificate>();
  source.onChange(() => {
    for (const certificate of source.current()) {
      if (known.has(certificate)) continue;
      known.add(certificate);
      check(certificate);
    }
  });
  return {
    passed: (certificate) =>
      certificate !== undefined &&
      passed.has(certificate.fingerprint) &&
      now() >= certificate.notBefore.getTime() &&
      now() < certificate.notAfter.getTime(),
  };
}

async function checkOnce(server: Server, { fingerprint, names }: Certificate): Promise<void> {
  const { address, port } = server.address() as AddressInfo;
  const at = { host: connectableHost(address), port, servername: names[0] };
  // This checks which certificate is served; whether clients trust its authority is unknown here.
  const served = await handshake(
    at,
    TIMEOUT_MS,
    (socket) => socket.getPeerX509Certificate()?.fingerprint256,
  );
  if (served !== fingerprint) throw new Error("the server uses another certificate");
}

/** Connects with TLS, accepting any certificate, reads from the socket, and disconnects. */
export function handshake<T>(
  {
    servername = "",
    ...at
  }: {
    readonly host: string;
    readonly port: number;
    /** Not an IP address. */
    readonly servername: string | undefined;
  },
  timeoutMs: number,
  read: (socket: TLSSocket) => T,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const socket = connect({ ...at, servername, rejectUnauthorized: false, timeout: timeoutMs });
    socket.once("error", reject);
    socket.once("timeout", () => socket.destroy(new Error("the handshake timed out")));
    socket.once("secureConnect", () => {
      resolve(read(socket));
      socket.destroy();
    });
  });
}

/** The address to connect to for a listen address: 0.0.0.0 and :: include loopback. */
export function connectableHost(address: string): string {
  if (address === "0.0.0.0") return "127.0.0.1";
  return address === "::" ? "::1" : address;
}
