import type { IncomingMessage } from "node:http";
import { ALIVE, ASSERTION_KEYS, FORWARD_AUTH, READY } from "../../web/paths.ts";
import type { Certificate } from "./certificate.ts";

/** Paths that health checks, proxies and apps on the local network request over plain HTTP. */
const NEVER_REDIRECTED: readonly string[] = [ALIVE, READY, FORWARD_AUTH, ASSERTION_KEYS];

export interface HttpsTarget {
  readonly port: number;
  readonly certificates: readonly Pick<Certificate, "names" | "addresses" | "covers">[];
  /** PUBLIC_URL, if it is set. */
  readonly publicUrl: string | undefined;
}

/** The HTTPS URL for a request over plain HTTP, or `undefined` if it is not redirected. */
export function secureLocation(
  incoming: Pick<IncomingMessage, "url" | "headers">,
  place: HttpsTarget,
): string | undefined {
  const { url = "", headers } = incoming;
  const target = url.startsWith("/") ? url : "/";
  if (NEVER_REDIRECTED.includes(target.split("?", 1)[0] ?? "")) return undefined;
  // A proxy has terminated TLS: a redirect would come back the same way, in a loop.
  if (headers["x-forwarded-proto"] === "https") return undefined;
  if (place.publicUrl?.startsWith("https:")) return `${place.publicUrl}${target}`;
  const requested = hostIn(incoming);
  const isCovered = place.certificates.some(
    (one) => requested !== undefined && one.covers(requested),
  );
  const names = place.certificates.flatMap((one) => one.names);
  const addresses = place.certificates.flatMap((one) => one.addresses);
  // Any client chooses the Host that it sends: only hosts of a certificate become a target.
  const host = isCovered ? requested : [...names, ...addresses][0];
  if (host === undefined) return undefined;
  return `https://${host}${place.port === 443 ? "" : `:${place.port}`}${target}`;
}

/** The requested host, without its port. */
export function hostIn({ headers }: Pick<IncomingMessage, "headers">): string | undefined {
  const named = headers.host ?? headers[":authority"];
  const url = `http://${named}`;
  return typeof named === "string" && URL.canParse(url) ? new URL(url).hostname : undefined;
}
