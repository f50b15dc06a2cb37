import type { KoaContextWithOIDC, Provider } from "oidc-provider";
import { createAuditEvent } from "../../audit/events.ts";
import type { App } from "../../db/records.ts";
import { readBody } from "../../http/form.ts";
import { OIDC, OIDC_DEVICE, OIDC_INTERACTION } from "../../http/paths.ts";
import { findSignInPath } from "../../http/refusals.ts";
import { type Answer, redirect, respond, respondJson } from "../../http/responses.ts";
import { addReturnTo } from "../../http/return-to.ts";
import { type CollectedResponse, runNodeHandler } from "../../http/run-node-handler.ts";
import { clearSessionCookies, readSession, readSessionTokens } from "../../http/session-cookie.ts";
import type { WebRequest } from "../../http/web-request.ts";
import { describeClient } from "../../lib/client.ts";
import { Fault, getErrorMessage, toError } from "../../lib/fault.ts";
import type { MaybePromise } from "../../lib/maybe-promise.ts";
import { getNetwork } from "../../lib/network.ts";
import { splitList } from "../apps/app-fields.ts";
import type { Services } from "../context.ts";
import { signOut } from "../sessions/sign-out.ts";
import { moveClientId } from "./empty-secret.ts";
import { Exchange, exchanges } from "./exchange-pages.ts";
import { createProvider } from "./provider.ts";
import { createProviderPages } from "./provider-pages.ts";
import { noteTokenRefusal } from "./token-refusals.ts";
import { toVisitor, type Visitor } from "./visitor.ts";

/** Answers requests of OpenID Connect. */
export interface Oidc {
  /** Answers a request for an endpoint of the provider. */
  answer(request: WebRequest): Promise<Answer>;
  /** Returns the provider, with the newest keys. Returns `undefined` without a public URL. */
  readProvider(): Promise<Provider | undefined>;
  /** Identifies the signed-in user of a request, if the user may open apps. */
  findVisitor(request: WebRequest): Promise<Visitor | undefined>;
}

export function createOidc(services: Services): Oidc {
  requireNode();
  const { rules, options, paths } = services;
  const { publicUrl } = options.hosts;
  const pages = createProviderPages(services);
  /** Apps may send these requests as a form or as a query. */
  const redirectable = new Set([`${paths.base}${OIDC}authorize`, `${paths.base}${OIDC}logout`]);
  let current: { readonly kids: string; readonly provider: Provider } | undefined;

  async function readProvider(): Promise<Provider | undefined> {
    if (publicUrl === undefined) return undefined;
    const now = await rules.signingKeys.read();
    const kids = now.map(({ kid }) => kid).join();
    if (current?.kids !== kids) {
      const settings = {
        issuer: publicUrl,
        basePath: paths.base,
        interactionPath: paths.base + OIDC_INTERACTION,
        devicePath: paths.base + OIDC_DEVICE,
        keys: now,
      };
      const provider = createProvider(
        { ...rules, onSignedIn: noteSignIn },
        settings,
        pages,
        exchanges,
      );
      const logError = (error: unknown, { method, path }: KoaContextWithOIDC) =>
        services.requests.log.error({ err: toError(error), method, path }, "request failed");
      provider.on("server_error", (ctx, error) => logError(error, ctx));
      // Without a listener, Koa writes the stack of an error to standard error.
      (provider as NodeJS.EventEmitter).on("error", logError);
      current = { kids, provider };
    }
    return current.provider;
  }

  const noteSignIn = ({ user }: Visitor, app: App, exchange: object): unknown => {
    if (!(exchange instanceof Exchange)) throw new Error("not a request of this provider");
    const client = services.proxies.getClient(exchange.request);
    rules.appUses.noteSignIn(app.id, user.id, describeClient(client).device);
    return rules.record(createAuditEvent("app_signin", { user, name: app.id, client }));
  };

  async function findVisitor(request: WebRequest): Promise<Visitor | undefined> {
    const admission = await rules.authenticate(request.header("cookie"));
    if (admission.kind !== "admitted" && admission.kind !== "guest") return undefined;
    const token = readSession(rules, request);
    return token && toVisitor(admission.user, token, admission.factors);
  }

  async function answer(request: WebRequest): Promise<Answer> {
    const provider = await readProvider();
    if (provider === undefined || publicUrl === undefined) {
      return services.views.error({ request }, 404, "needsPublicUrl");
    }
    const body = await readBody(request);
    if (body === "too-large") return refuseBody(413, "the body is larger than 64 KiB");
    if (body === "aborted") return refuseBody(400, "the body is not complete");
    if (body === "already-read") {
      throw new Fault(
        "form_already_read",
        "another middleware has read the form: mount Latchkey's routes before body parsers",
      );
    }
    if (request.method === "POST" && redirectable.has(request.path)) {
      // A form of another site arrives without the session cookie. The browser sends the cookie with
      // the request that follows a redirect.
      const query = toQuery(body);
      if (query.length > MAX_QUERY) return services.views.error({ request }, 413, "formUnreadable");
      return redirect(`${request.path}?${query}`);
    }
    if (request.path === `${paths.base}${OIDC}logout` && request.method === "GET") {
      const named = await nameSigningOutApp(services, request);
      if (named !== undefined) return redirect(`${request.path}?${named}`);
    }
    const visitor = await findVisitor(request);
    const devicePath = paths.base + OIDC_DEVICE;
    // The provider cannot store the secret of a form for a browser that it does not know.
    const isDevicePage =
      request.path === devicePath ||
      (request.path.startsWith(`${devicePath}/`) && request.method !== "POST");
    if (isDevicePage && visitor === undefined) return sendToSignIn(services, request);
    const apps = await rules.appDirectory.read();
    const headers = copyHeaders(request, new URL(publicUrl).host, visitor);
    const exchange = new Exchange(request, visitor, {
      method: request.method,
      url: `${request.path}${request.query}`,
      ...moveClientId({ headers, body }, apps.find),
      remoteAddress: services.proxies.getRemoteAddress(request),
      isEncrypted: publicUrl.startsWith("https:"),
    });
    const response = await runNodeHandler(provider.callback(), exchange);
    if (isBeyondLimit(services, exchange)) return refuseBusy(services, exchange);
    if ((await exchange.state.commit(rules.store, new Date(rules.clock.now()))) !== "committed")
      return refuseUsed(services, exchange, body);
    if (exchange.refusedCode !== undefined) await noteRefusal(services, exchange);
    const after = await finish(services, exchange, request);
    return toAnswer(response, exchange.page, visitor, after);
  }

  return { answer, readProvider, findVisitor };
}

/** @throws {Fault} `oidc_needs_node` on other platforms, which lack what the provider uses. */
function requireNode(): void {
  if (process.versions.bun === undefined && process.versions.deno === undefined) return;
  throw new Fault("oidc_needs_node", "latchkey/oidc runs on Node.js only");
}

/** Reverse proxies and browsers accept a header of this size. */
const MAX_QUERY = 8_000;

/** Returns a form as a query. Only what a URL may contain is copied as it is. */
const toQuery = (form: Uint8Array): string =>
  Buffer.from(form)
    .toString("latin1")
    .replace(/[^!-~]|[#"<>\\]/g, (byte) => `%${Buffer.from(byte, "latin1").toString("hex")}`);

const refuseBody = (status: number, reason: string): Answer =>
  respondJson({ error: "invalid_request", error_description: reason }, status);

/** The addresses of one network of this length count together: one client can have all of them. */
const IPV6_PREFIX = 64;

/** Counts what a client without a session makes the database remember. */
function isBeyondLimit({ rules, proxies }: Services, { state, request }: Exchange): boolean {
  if (state.visitor !== undefined || !state.beginsSignIn) return false;
  const network = getNetwork(proxies.getRemoteAddress(request), IPV6_PREFIX);
  return rules.appSignInLimiter.attempt(network) === "denied";
}

function refuseBusy({ views }: Services, { request, page }: Exchange): MaybePromise<Answer> {
  const headers = { "Retry-After": "60" };
  return request.method === "GET" || page !== undefined
    ? views.error({ request }, 429, "tooManyHandoffs", headers)
    : respondJson({ error: "temporarily_unavailable" }, 429, headers);
}

/** Notes why an app got no tokens. A failure changes nothing for the app. */
async function noteRefusal(
  { rules, requests }: Services,
  { refusedCode, state }: Exchange,
): Promise<void> {
  if (refusedCode === undefined) return;
  const { code, refusal } = refusedCode;
  try {
    await noteTokenRefusal(rules, code, refusal, (id) => state.hasFoundCode(id));
  } catch (error) {
    requests.log.warn({ reason: getErrorMessage(error) }, "a refused code was not noted");
  }
}

/** Answers a request that lost a race for a code or token. */
async function refuseUsed(
  services: Services,
  exchange: Exchange,
  body: Uint8Array,
): Promise<Answer> {
  const { views, paths } = services;
  const { request, visitor } = exchange;
  const description = "grant request is invalid";
  const code = new URLSearchParams(Buffer.from(body).toString("latin1")).get("code");
  if (code !== null) {
    exchange.refusedCode = { code, refusal: { reason: "code-used", description } };
    await noteRefusal(services, exchange);
  }
  return request.path === `${paths.base}${OIDC}token`
    ? respondJson({ error: "invalid_grant", error_description: description }, 400)
    : views.error({ request, user: visitor?.user }, 400, "signInExpired");
}

/** Redirects to the sign-in page, which returns to this page. */
async function sendToSignIn(services: Services, request: WebRequest): Promise<Answer> {
  const admission = await services.rules.authenticate(request.header("cookie"));
  if (admission.kind === "admitted" || admission.kind === "guest") {
    throw new Fault("oidc_session_unknown", "the session has no token");
  }
  const target = `${request.path}${request.query}`;
  return redirect(addReturnTo(findSignInPath(services, admission, request), target));
}

/**
 * Some clients do not say which app signs out, and so could not return to it: OmniAuth sends only the
 * URI to which the sign-out returns. If exactly one app has registered that URI, it is this app.
 * Returns the query with its ID.
 */
async function nameSigningOutApp(
  { rules }: Services,
  { query }: WebRequest,
): Promise<URLSearchParams | undefined> {
  const parameters = new URLSearchParams(query);
  const uri = parameters.get("post_logout_redirect_uri");
  const isNamed = parameters.has("client_id") || parameters.has("id_token_hint");
  if (uri === null || isNamed) return undefined;
  const apps = (await rules.appDirectory.read()).all.filter(
    ({ clientType, signOutRedirects }) =>
      clientType !== undefined && splitList(signOutRedirects).includes(uri),
  );
  const [app] = apps;
  if (app === undefined || apps.length > 1) return undefined;
  parameters.set("client_id", app.id);
  return parameters;
}

/** The provider reads these headers, and no others. */
const HEADERS = [
  "accept",
  "accept-language",
  "access-control-request-headers",
  "access-control-request-method",
  "authorization",
  "content-length",
  "content-type",
  "cookie",
  "origin",
  "transfer-encoding",
  "user-agent",
];

const SESSION_COOKIE = "latchkey-oidc";

/**
 * Copies the headers that the provider reads. The host is that of the public URL, whatever the
 * request says. The session of the visitor takes the place of the provider's own.
 */
function copyHeaders(
  request: WebRequest,
  host: string,
  visitor: Visitor | undefined,
): Record<string, string> {
  const headers: Record<string, string> = { host };
  for (const name of HEADERS) {
    const value = request.header(name);
    if (value !== undefined) headers[name] = value;
  }
  if (visitor !== undefined) {
    const { cookie = "" } = headers;
    headers.cookie = `${SESSION_COOKIE}=${visitor.sessionKey}; ${cookie}`;
  }
  return headers;
}

/** Does what the provider has decided about the session. Returns the cookies of the response. */
async function finish(
  { rules, options, proxies }: Services,
  { visitor, endsSession, endsApp }: Exchange,
  request: WebRequest,
): Promise<readonly string[]> {
  if (visitor === undefined) return [];
  if (endsSession) {
    await signOut(rules, readSessionTokens(request.header("cookie")), proxies.getClient(request));
    return clearSessionCookies(options.hosts.cookieDomain);
  }
  const { sessionId } = visitor;
  if (endsApp !== undefined && sessionId !== undefined) {
    await rules.store.grants.remove({ sessionId, appId: endsApp });
  }
  return [];
}

/** Converts the response of the provider. `page` replaces its content. */
function toAnswer(
  { status, headers: given, body }: CollectedResponse,
  page: Answer | undefined,
  visitor: Visitor | undefined,
  after: readonly string[],
): Answer {
  const { "set-cookie": setCookie = [], ...others } = given;
  const ownCookie = `${SESSION_COOKIE}=`;
  const cookies = [setCookie]
    .flat()
    .map(String)
    .filter((cookie) => visitor === undefined || !cookie.startsWith(ownCookie))
    .concat(after);
  if (page !== undefined) return { ...page, cookies: [...page.cookies, ...cookies] };
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(others)) {
    if (value !== undefined) headers[canonicalizeName(name)] = String(value);
  }
  const sent = body.length === 0 ? null : Uint8Array.from(Buffer.from(body));
  return respond(sent, status, headers, cookies);
}

/** Header names are written as everywhere else, so that one replaces the other. */
const canonicalizeName = (name: string): string =>
  name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
