import { PLAIN_HOST } from "../../lib/host-name.ts";
import { isLoopbackHost } from "../../lib/loopback.ts";

/** Says why a URL is not acceptable. */
export type UrlProblem =
  | "not-a-url"
  | "too-long"
  | "has-credentials"
  | "has-a-fragment"
  | "has-a-path"
  /** The URL uses `http:`, and its host is not this machine. */
  | "not-encrypted"
  /** A browser would run the URL, or read a file. */
  | "scheme-forbidden"
  /** Any app on a phone can register a scheme without a dot. */
  | "scheme-without-dot";

const MAX_BYTES = 2_048;

/** Browsers run, show or open these URLs themselves. */
const FORBIDDEN = [
  "javascript:",
  "data:",
  "vbscript:",
  "blob:",
  "file:",
  "about:",
  "filesystem:",
  "view-source:",
  "ws:",
  "wss:",
  "ftp:",
];

/**
 * Checks a URI to which a sign-in or a sign-out returns. It is compared exactly, so it is kept as it
 * was written. Plain `http:` would show the code to everybody on the network.
 */
export function checkRedirect(text: string): UrlProblem | undefined {
  const url = parsePlainUrl(text);
  if (typeof url === "string") return url;
  if (FORBIDDEN.includes(url.protocol)) return "scheme-forbidden";
  if (url.protocol === "https:" || url.protocol === "http:") {
    if (!PLAIN_HOST.test(url.hostname)) return "not-a-url";
    return url.protocol === "http:" && !isLoopbackHost(url.hostname) ? "not-encrypted" : undefined;
  }
  return url.protocol.includes(".") ? undefined : "scheme-without-dot";
}

/** Checks a URL with `https:`, or with `http:` in a network of one's own. */
export function checkWebUrl(text: string): UrlProblem | undefined {
  const url = parsePlainUrl(text);
  if (typeof url === "string") return url;
  if (url.protocol !== "https:" && url.protocol !== "http:") return "scheme-forbidden";
  return PLAIN_HOST.test(url.hostname) ? undefined : "not-a-url";
}

/** Parses a URL of visible ASCII characters without credentials and fragment. */
function parsePlainUrl(text: string): URL | UrlProblem {
  if (typeof text !== "string" || !/^[!-[\]-~]+$/.test(text)) return "not-a-url";
  if (Buffer.byteLength(text) > MAX_BYTES) return "too-long";
  const url = URL.parse(text);
  if (url === null) return "not-a-url";
  if (text.includes("#")) return "has-a-fragment";
  if (url.username !== "" || url.password !== "") return "has-credentials";
  return url;
}
