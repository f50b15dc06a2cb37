import type { Context } from "hono";
import type { Guard } from "../core/require-user.ts";
import type { User } from "../core/store.ts";
import type { Paths } from "./paths.ts";
import type { ProxyTrust } from "./request/remote-address.ts";
import type { Responses } from "./responses.ts";
import { type ReturnTo, withReturnTo } from "./return-to.ts";
import { sessionTokenIn } from "./session-cookie.ts";

export interface ForwardAuthPorts {
  readonly guard: Guard;
  readonly proxies: ProxyTrust;
  readonly returnTo: ReturnTo;
  readonly publicUrl: string | undefined;
  readonly responses: Responses;
  readonly paths: Paths;
}

/**
 * What a reverse proxy asks before it lets a request through. Who somebody is comes from the session
 * alone. Where to lead back to is read from a trusted proxy only; the method and what is accepted
 * from anybody, since they only choose between a redirect and a 401.
 */
export async function forwardAuth(ports: ForwardAuthPorts, c: Context): Promise<Response> {
  const admission = await ports.guard(sessionTokenIn(c.req.header("cookie")));
  switch (admission.kind) {
    case "needs-setup":
      return turnAway(ports, c, ports.paths.setup);
    case "needs-sign-in":
      return turnAway(ports, c, ports.paths.login);
    case "admitted":
      return ports.responses.empty(identityOf(admission.user));
  }
}

function turnAway(ports: ForwardAuthPorts, c: Context, path: string): Response {
  const { redirect, unauthorized } = ports.responses;
  if (!asksForPage(c)) return unauthorized({});
  const target = ports.returnTo.accepted(c, askedFor(ports.proxies, c));
  const door = withReturnTo(`${ports.publicUrl ?? ""}${path}`, target);
  // nginx passes no redirect on; of this answer its configuration can make one.
  return c.req.query("deny") === "401" ? unauthorized({ Location: door }) : redirect(door);
}

const identityOf = ({ id, username }: User): Record<string, string> => ({
  "Remote-User": inHeader(username),
  // One of another system, if the account was imported: any text.
  "Remote-User-Id": inHeader(id),
});

/** Header values are bytes: text beyond plain ASCII goes percent-encoded, as does the sign itself. */
function inHeader(text: string): string {
  const plain = /^[\x21-\x24\x26-\x7e]+( +[\x21-\x24\x26-\x7e]+)*$/.test(text);
  return plain ? text : encodeURIComponent(text);
}

/** A browser that opens a page can follow a redirect to the sign-in; a script or a form cannot. */
function asksForPage(c: Context): boolean {
  const method = c.req.header("x-forwarded-method") ?? "GET";
  return (
    (method === "GET" || method === "HEAD") &&
    (c.req.header("accept") ?? "").toLowerCase().includes("text/html") &&
    c.req.header("x-requested-with") === undefined &&
    c.req.header("hx-request") === undefined
  );
}

/** The address that the browser asked the proxy for, as a trusted proxy tells it. */
function askedFor(proxies: ProxyTrust, c: Context): string | undefined {
  const forwarded = (name: string): string | undefined => proxies.header(c, `x-forwarded-${name}`);
  const url = `${forwarded("proto")}://${forwarded("host")}${forwarded("uri")}`;
  return forwarded("uri")?.startsWith("/") && URL.canParse(url) ? new URL(url).href : undefined;
}
