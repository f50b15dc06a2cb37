import type { AddressInfo } from "node:net";
import type { Handle } from "../handle.ts";
import { listen } from "../listener.ts";
import { answer } from "../refusals.ts";
import type { Settings } from "../settings/settings.ts";
import type { Certificates } from "./certificate-source.ts";
import { createHttpsServer, type HttpsServer } from "./https-server.ts";
import { hostIn, secureLocation } from "./redirect.ts";

/** One year, for this host only: subdomains may not have HTTPS. */
const HSTS = "max-age=31536000";

interface Https {
  readonly url: string;
  readonly server: HttpsServer;
  /** For plain HTTP: answers ACME challenges, and redirects to HTTPS while a certificate is valid. */
  wrapPlain(handle: Handle): Handle;
}

export async function startHttps(
  { host, port, publicUrl }: Pick<Settings, "host" | "port" | "publicUrl">,
  handle: Handle,
  { source, challenges }: Certificates,
  now: () => number,
): Promise<Https> {
  /** Browsers reject any other certificate: it gets neither redirects nor HSTS. */
  const isValidFor = (incoming: Parameters<Handle>[0]): boolean => {
    const certificate = source.for(hostIn(incoming));
    const at = now();
    return certificate !== undefined && +certificate.notBefore <= at && at < +certificate.notAfter;
  };
  const server = createHttpsServer((incoming, outgoing) => {
    if (isValidFor(incoming)) outgoing.setHeader("Strict-Transport-Security", HSTS);
    handle(incoming, outgoing);
  }, source);
  const url = await listen(server, host, port);
  const { port: actualPort } = server.address() as AddressInfo;

  return {
    url,
    server,
    wrapPlain: (plain) => (incoming, outgoing) => {
      if (challenges?.answer(incoming, outgoing) === true) return;
      const place = { port: actualPort, certificates: source.current, publicUrl };
      const location = isValidFor(incoming) ? secureLocation(incoming, place) : undefined;
      if (location === undefined) return plain(incoming, outgoing);
      answer(outgoing, 308, { Location: location });
    },
  };
}
