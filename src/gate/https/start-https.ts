import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { ALIVE, ASSERTION_KEYS, FORWARD_AUTH, READY } from "../../http/paths.ts";
import type { Handler } from "../create-handler.ts";
import { listen } from "../listener.ts";
import { sendTextResponse } from "../refusals.ts";
import type { Settings } from "../settings/settings.ts";
import type { Certificate, Certificates } from "./certificate.ts";
import { createHttpsServer, type HttpsServer } from "./https-server.ts";

/**
 * The header is valid for one year and for this host only, because subdomains may not have HTTPS.
 */
const HSTS = "max-age=31536000";

/**
 * Lists paths that health checks, proxies and apps on the local network request over plain HTTP.
 */
const NEVER_REDIRECTED: readonly string[] = [ALIVE, READY, FORWARD_AUTH, ASSERTION_KEYS];

interface HttpsListener {
  readonly url: string;
  readonly server: HttpsServer;
  /**
   * Wraps a handler for plain HTTP. The wrapper responds to ACME challenges, and redirects to HTTPS
   * while a certificate is valid.
   */
  wrapPlain(handle: Handler): Handler;
}

export async function startHttps(
  { host, port, publicUrl }: Pick<Settings, "host" | "port" | "publicUrl">,
  handle: Handler,
  { source, challenges }: Certificates,
  now: () => number,
): Promise<HttpsListener> {
  /**
   * Only requests with a valid certificate get redirects and HSTS, because browsers reject any
   * other certificate.
   */
  const hasValidCertificate = (incoming: Parameters<Handler>[0]): boolean => {
    const certificate = source.findCertificate(parseRequestHost(incoming));
    const at = now();
    return certificate !== undefined && +certificate.notBefore <= at && at < +certificate.notAfter;
  };
  const server = createHttpsServer((incoming, outgoing) => {
    if (hasValidCertificate(incoming)) outgoing.setHeader("Strict-Transport-Security", HSTS);
    handle(incoming, outgoing);
  }, source);
  const url = await listen(server, host, port);
  const { port: actualPort } = server.address() as AddressInfo;

  return {
    url,
    server,
    wrapPlain: (plain) => (incoming, outgoing) => {
      if (challenges?.respond(incoming, outgoing) === true) return;
      const target = { port: actualPort, certificates: source.current, publicUrl };
      const location = hasValidCertificate(incoming)
        ? findHttpsLocation(incoming, target)
        : undefined;
      if (location === undefined) return plain(incoming, outgoing);
      sendTextResponse(outgoing, 308, { Location: location });
    },
  };
}

export interface HttpsTarget {
  readonly port: number;
  readonly certificates: readonly Pick<Certificate, "hosts" | "covers">[];
  /** Contains PUBLIC_URL, if it is set. */
  readonly publicUrl: string | undefined;
}

/** Returns the HTTPS URL for a request over plain HTTP, or `undefined` if it is not redirected. */
export function findHttpsLocation(
  incoming: Pick<IncomingMessage, "url" | "headers">,
  { port, certificates, publicUrl }: HttpsTarget,
): string | undefined {
  const { url = "", headers } = incoming;
  const target = url.startsWith("/") ? url : "/";
  if (NEVER_REDIRECTED.includes(target.split("?", 1)[0] ?? "")) return undefined;
  // A proxy has terminated TLS, so a redirect would arrive here again, in a loop.
  if (headers["x-forwarded-proto"] === "https") return undefined;
  if (publicUrl?.startsWith("https:")) return `${publicUrl}${target}`;
  const requested = parseRequestHost(incoming);
  const isCovered = certificates.some(
    (certificate) => requested !== undefined && certificate.covers(requested),
  );
  // The client chooses the Host header, so a redirect only targets the hosts of a certificate.
  const host = isCovered ? requested : certificates.flatMap(({ hosts }) => hosts)[0];
  if (host === undefined) return undefined;
  return `https://${host}${port === 443 ? "" : `:${port}`}${target}`;
}

/** Returns the requested host without its port. */
function parseRequestHost({ headers }: Pick<IncomingMessage, "headers">): string | undefined {
  const hostHeader = headers.host ?? headers[":authority"];
  return typeof hostHeader === "string" ? URL.parse(`http://${hostHeader}`)?.hostname : undefined;
}
