import type { AddressInfo, Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { connect, type TLSSocket } from "node:tls";
import { messageOf } from "../../core/base/fault.ts";
import type { ServerLog } from "../../core/base/server-log.ts";
import { connectableHost } from "../reach.ts";
import type { Certificate } from "./certificate.ts";
import type { CertificateSource } from "./certificate-source.ts";

const TIMEOUT_MS = 5_000;
const RETRY_AFTER_MS = 60_000;

/**
 * Connects to the server once for each new certificate, and again after a failure. Returns whether a
 * certificate has been served that way and is valid now: only these get redirects and HSTS.
 */
export function createHandshakeCheck(
  server: Server,
  source: CertificateSource,
  now: () => number,
  log: ServerLog,
): (certificate: Certificate | undefined) => boolean {
  const passed = new WeakMap<Certificate, boolean>();
  const check = async (certificate: Certificate): Promise<void> => {
    passed.set(certificate, false);
    while (server.listening && source.current.includes(certificate)) {
      try {
        await checkOnce(server, certificate);
        passed.set(certificate, true);
        return;
      } catch (error) {
        log.warn({ reason: messageOf(error) }, "HTTPS does not work yet");
        await sleep(RETRY_AFTER_MS, undefined, { ref: false });
      }
    }
  };
  source.onChange(() => {
    for (const one of source.current) if (!passed.has(one)) check(one);
  });
  return (certificate) =>
    certificate !== undefined &&
    passed.get(certificate) === true &&
    now() >= certificate.notBefore.getTime() &&
    now() < certificate.notAfter.getTime();
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

interface HandshakePeer {
  readonly host: string;
  readonly port: number;
  /** Not an IP address. */
  readonly servername: string | undefined;
}

/** Connects with TLS, accepting any certificate, reads from the socket, and disconnects. */
export function handshake<T>(
  { servername = "", ...at }: HandshakePeer,
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
