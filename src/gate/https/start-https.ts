import type { AddressInfo } from "node:net";
import { NOTHING_RUNS } from "../../web/responses.ts";
import { type Handle, listen } from "../listener.ts";
import type { GateLog } from "../server-log.ts";
import type { Certificates } from "./certificate-source.ts";
import { certificateFor } from "./certificate-source.ts";
import { createHttpsServer, type HttpsServer } from "./https-server.ts";
import { createProof, type Proof } from "./proof.ts";
import { hostIn, secureLocation } from "./redirect.ts";

/** A year, for this host alone: what else lives under its name is not ours to decide. */
const STRICT = "max-age=31536000";

export interface HttpsPlace {
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
  /** What stands before the gate on plain HTTP: answers to challenges, and the way to HTTPS. */
  before(handle: Handle): Handle;
}

export async function startHttps(place: HttpsPlace, ports: HttpsPorts): Promise<Https> {
  const { source, challenges } = ports.certificates;
  // The handshake that proves a certificate takes the server, and the server's answers the proof.
  const proof: { current: Proof | undefined } = { current: undefined };
  const proven = (host: string | undefined): boolean =>
    proof.current?.has(certificateFor(source, host)) === true;

  const server = createHttpsServer((incoming, outgoing) => {
    if (proven(hostIn(incoming))) outgoing.setHeader("Strict-Transport-Security", STRICT);
    ports.handle(incoming, outgoing);
  }, source);
  const url = await listen(server, place.host, place.port);
  const { port } = server.address() as AddressInfo;
  proof.current = createProof(server, source, ports.now, ports.log);

  const location = (incoming: Parameters<Handle>[0]): string | undefined => {
    if (!proven(hostIn(incoming))) return undefined;
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
    before: (handle) => (incoming, outgoing) => {
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
