import type { Context } from "hono";
import type { MaybePromise } from "../core/maybe-promise.ts";
import type { User } from "../core/store.ts";
import { admitsUser, type ForwardAuthQuery, readForwardAuthQuery } from "./forward-auth-query.ts";
import type { WebPorts } from "./ports.ts";
import type { ProxyTrust } from "./request/remote-address.ts";
import { REQUEST_ID } from "./request/request-id.ts";
import { type HeaderReader, requestInfoOf, requestSourceOf } from "./request/request-info.ts";
import { kindOfRequest } from "./request/request-kind.ts";
import { noteRefusal } from "./request/warnings.ts";
import { type Headers, redirect, respond, respondText } from "./responses.ts";
import { acceptedTarget, askedOf, withReturnTo } from "./return-to.ts";
import { sessionTokenIn } from "./session-cookie.ts";

/**
 * Answers a reverse proxy that asks before it forwards a request. The user comes from the session
 * alone. The return target is read only from a trusted proxy. The method and the accepted types are
 * read from any client, because they only choose between a redirect and a 401.
 */
export async function forwardAuth(ports: WebPorts, c: Context): Promise<Response> {
  const query = readForwardAuthQuery(c.req.url);
  if (query.kind === "unknown-parameter") return refuseParameter(ports, c, query.name);
  const admission = await ports.rules.requireAuth(sessionTokenIn(c.req.header("cookie")));
  switch (admission.kind) {
    case "needs-setup":
      return refuse(ports, c, query, ports.paths.setup);
    case "needs-sign-in":
      return refuse(ports, c, query, ports.paths.login);
    case "forged-token":
      return ports.requests.run(requestSourceOf(c), () => {
        noteRefusal(ports, c, "forged session token refused");
        return refuse(ports, c, query, ports.paths.login);
      });
    case "admitted":
      if (!admitsUser(query.lists, admission.user.username)) {
        return exclude(ports, c, admission.user);
      }
      // Without a request ID, which no proxy uses: one of these comes with every request to an app.
      return respond(null, 200, identityOf(admission.user));
  }
}

/** Tells the operator, whose proxy returns the line to the browser. */
function refuseParameter({ paths, requests }: WebPorts, c: Context, name: string): Response {
  return respondText(
    `unknown query parameter ${JSON.stringify(name)}: ${paths.forwardAuth} accepts users and deny`,
    400,
    { [REQUEST_ID]: requests.of(requestSourceOf(c)) },
  );
}

function refuse(ports: WebPorts, c: Context, { deny }: ForwardAuthQuery, path: string): Response {
  const headers: Headers = { [REQUEST_ID]: ports.requests.of(requestSourceOf(c)) };
  if (!asksForPage(c)) return respond(null, 401, headers);
  const target = acceptedTarget(ports.options, askedOf(c), readTarget(ports.proxies, c));
  const location = withReturnTo(`${ports.options.publicUrl ?? ""}${path}`, target);
  switch (deny) {
    case "redirect":
      return redirect(location, [], headers);
    case "401":
      // nginx turns a redirect into a 500; its configuration makes a redirect from this answer.
      return respond(null, 401, { ...headers, Location: location });
  }
}

function asksForPage(c: Context): boolean {
  const header: HeaderReader = (name) => c.req.header(name);
  return kindOfRequest(header("x-forwarded-method") ?? "GET", header) === "page";
}

/** For a signed-in user whom the app does not admit. */
function exclude({ views, requests }: WebPorts, c: Context, user: User): MaybePromise<Response> {
  if (asksForPage(c)) return views.excluded({ ...requestInfoOf(c), user });
  return respond(null, 403, { [REQUEST_ID]: requests.of(requestSourceOf(c)) });
}

const identityOf = ({ id, username }: User): Record<string, string> => ({
  "Remote-User": inHeader(username),
  // An imported account keeps the ID of its old system, which can be any text.
  "Remote-User-Id": inHeader(id),
});

/** Header values are bytes: text with other characters than plain ASCII, or with `%`, is percent-encoded. */
function inHeader(text: string): string {
  const plain = /^[\x21-\x24\x26-\x7e]+( +[\x21-\x24\x26-\x7e]+)*$/.test(text);
  return plain ? text : encodeURIComponent(text);
}

/** The URL that the browser requested, according to a trusted proxy. */
function readTarget(proxies: ProxyTrust, c: Context): string | undefined {
  const forwarded = (name: string): string | undefined => proxies.header(c, `x-forwarded-${name}`);
  const url = `${forwarded("proto")}://${forwarded("host")}${forwarded("uri")}`;
  return forwarded("uri")?.startsWith("/") && URL.canParse(url) ? new URL(url).href : undefined;
}
