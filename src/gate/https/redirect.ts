import type { IncomingMessage } from "node:http";
import { pathsUnder } from "../../web/paths.ts";

const { alive, ready, forwardAuth } = pathsUnder("", null);
/** What machines ask over plain HTTP, from nearby. */
const LEFT_ALONE: readonly string[] = [alive, ready, forwardAuth];

export interface HttpsTarget {
  readonly port: number;
  /** The names that the certificates are for, the first one first. */
  readonly names: readonly string[];
  covers(host: string): boolean;
  /** Where browsers reach the gate, if the operator has said so. */
  readonly publicUrl: string | undefined;
}

/** Where a request over plain HTTP belongs, or nothing where it is answered as it is. */
export function secureLocation(
  incoming: Pick<IncomingMessage, "url" | "headers">,
  place: HttpsTarget,
): string | undefined {
  const { url = "", headers } = incoming;
  const target = url.startsWith("/") ? url : "/";
  if (LEFT_ALONE.includes(target.split("?", 1)[0] ?? "")) return undefined;
  // A proxy has taken the TLS off: sent away, the browser would come back the same way for ever.
  if (headers["x-forwarded-proto"] === "https") return undefined;
  if (place.publicUrl?.startsWith("https:")) return `${place.publicUrl}${target}`;
  const asked = hostIn(incoming);
  const host = asked !== undefined && place.covers(asked) ? asked : (place.names[0] ?? asked);
  if (host === undefined) return undefined;
  return `https://${host}${place.port === 443 ? "" : `:${place.port}`}${target}`;
}

/** The host that is asked for, without its port. */
export function hostIn({ headers }: Pick<IncomingMessage, "headers">): string | undefined {
  const named = headers.host ?? headers[":authority"];
  const url = `http://${named}`;
  return typeof named === "string" && URL.canParse(url) ? new URL(url).hostname : undefined;
}
