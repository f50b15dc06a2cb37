import type { AddressInfo } from "node:net";
import { NOTHING_RUNS } from "../../web/responses.ts";
import { type Handle, listen } from "../listener.ts";
import type { GateLog } from "../server-log.ts";
import { type Certificates, certificateFor } from "./certificate-source.ts";
import { createHandshakeCheck, type HandshakeCheck } from "./handshake-check.ts";
import { createHttpsServer, type HttpsServer } from "./https-server.ts";
import { hostIn, secureLocation } from "./redirect.ts";

/** One year, for this host only: subdomains may not have HTTPS. */
const HSTS = "max-age=31536000";

export interface HttpsAddress {
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string | undefined;
}

export interface HttpsPorts {
  readonly handle: Handle;
  readonly certificates: Certificates;
  now(): number;
  readonly log: GateLog;
}

export interface Https {
  readonly url: string;
  readonly server: HttpsServer;
  /** For plain HTTP: answers ACME challenges, and redirects to HTTPS once it works. */
  wrapPlain(handle: Handle): Handle;
}

export async function startHttps(place: HttpsAddress, ports: HttpsPorts): Promise<Https> {
  const { source, challenges } = ports.certificates;
  // The check needs the server, and the server's responses need the check.
  let check: HandshakeCheck | undefined;
  const works = (host: string | undefined): boolean =>
    check?.passed(certificateFor(source, host)) === true;

  const server = createHttpsServer((incoming, outgoing) => {
    if (works(hostIn(incoming))) outgoing.setHeader("Strict-Transport-Security", HSTS);
    ports.handle(incoming, outgoing);
  }, source);
  const url = await listen(server, place.host, place.port);
  const { port } = server.address() as AddressInfo;
  check = createHandshakeCheck(server, source, ports.now, ports.log);

  const location = (incoming: Parameters<Handle>[0]): string | undefined => {
    if (!works(hostIn(incoming))) return undefined;
    return secureLocation(incoming, {
      port,
      names: source.current().flatMap(({ names }) => names),
      covers: (host) => source.current().some((one) => one.covers(host)),
      publicUrl: place.publicUrl,
    });
  };
  return {
    url,
    server,
    wrapPlain: (handle) => (incoming, outgoing) => {
      if (challenges?.answer(incoming, outgoing) === true) return;
      const target = location(incoming);
      if (target === undefined) return handle(incoming, outgoing);
      outgoing.statusCode = 308;
      outgoing.setHeader("Location", target);
      outgoing.setHeader("Cache-Control", "no-store");
      outgoing.setHeader("Content-Security-Policy", NOTHING_RUNS);
      outgoing.setHeader("X-Content-Type-Options", "nosniff");
      outgoing.end();
    },
  };
}
