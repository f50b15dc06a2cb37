import type { WebRequest } from "./web-request.ts";

type WithHeaders = Pick<WebRequest, "header">;

/**
 * Says what a request asks for: a browser opens a `page`, or sends a `form` from a page. Any other
 * request is a `call` by a script or another program, which cannot use the sign-in page.
 */
type RequestKind = "page" | "form" | "call";

export const KIND_HEADERS = "Accept, Sec-Fetch-Mode, Sec-Fetch-Dest, X-Requested-With, HX-Request";

/**
 * Reads the kind from headers that any client can send. The kind may therefore decide only how a
 * refusal looks, never whether a request is refused.
 */
export function getRequestKind(method: string, request: WithHeaders): RequestKind {
  if (!isNavigation(request)) return "call";
  if (method === "GET" || method === "HEAD") return "page";
  return method === "POST" ? "form" : "call";
}

function isNavigation(request: WithHeaders): boolean {
  if (!(request.header("accept") ?? "").toLowerCase().includes("text/html")) return false;
  const mode = request.header("sec-fetch-mode");
  // Old browsers, and all browsers over plain HTTP, do not send the Sec-Fetch headers.
  if (mode === undefined) {
    return (request.header("x-requested-with") ?? request.header("hx-request")) === undefined;
  }
  return mode === "navigate" && !isEmbedded(request.header("sec-fetch-dest"));
}

/**
 * Returns whether the page is embedded, because frames do not show the sign-in page. `empty` is the
 * destination of a page that a service worker fetches.
 */
const isEmbedded = (destination: string | undefined): boolean =>
  destination !== undefined && destination !== "document" && destination !== "empty";
