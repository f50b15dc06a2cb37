import { type Context, Hono, type MiddlewareHandler } from "hono";
import { METHOD_NAME_ALL } from "hono/router";
import { isClientGone, messageOf } from "../core/fault.ts";
import { postPassword } from "./account.ts";
import { answerUnknownPath, pathsWithHost, refuseOtherHosts } from "./allowed-hosts.ts";
import { postBeginCodes, postConfirmCodes, postTurnOffCodes } from "./codes.ts";
import { forwardAuth } from "./forward-auth.ts";
import { getHome } from "./home.ts";
import { getLogin, postLogin } from "./login.ts";
import { postAddPasskey, postPasskeyLogin, postRemovePasskey } from "./passkeys.ts";
import { CHANGE_PASSWORD, homePathsOf } from "./paths.ts";
import type { WebPorts } from "./ports.ts";
import { incomingOf } from "./request/connection.ts";
import { type Form, readForm } from "./request/form.ts";
import { REQUEST_ID } from "./request/request-id.ts";
import { requestInfoOf, requestSourceOf } from "./request/request-info.ts";
import { isCrossSite } from "./request/same-origin.ts";
import { createProxyWarning, noteRefusal } from "./request/warnings.ts";
import { redirect, respondAsset, respondText } from "./responses.ts";
import { postEndSession, postLogout } from "./sessions.ts";
import { getSetup, postSetup } from "./setup.ts";

/** The route table. It has no wildcard, so that an app which mounts it keeps its other paths. */
export function createRoutes(ports: WebPorts): Hono {
  const { paths, options, views } = ports;
  const app = new Hono();
  const site = siteRoutes(ports);
  const sitePaths = [...methodsOf(site).keys()];
  const health = options.health ? [paths.alive, paths.ready] : [];

  for (const path of [...sitePaths, ...health]) app.use(path, withRequestId(ports));
  for (const path of pathsWithHost(ports, sitePaths)) app.use(path, refuseOtherHosts(ports));
  app.route("/", site);
  // The host of these is not checked: load balancers ask for an address, and a reverse proxy asks
  // with the host of the app.
  if (options.health) {
    app.get(paths.alive, () => respondText("alive", 200));
    app.get(paths.ready, () => answerReady(ports));
  }
  if (options.forwardAuth) app.get(paths.forwardAuth, (c) => forwardAuth(ports, c));

  for (const [path, allow] of methodsOf(app)) {
    app.all(path, (c) => views.error(requestInfoOf(c), 405, "methodNotAllowed", { Allow: allow }));
  }
  app.notFound((c) => answerUnknownPath(ports, c));
  app.onError((fault, c) =>
    // Not logged: any client could fill the server log by disconnecting.
    isClientGone(fault)
      ? views.error(requestInfoOf(c), 400, "formNotWhole")
      : views.fault(requestInfoOf(c), fault),
  );
  return app;
}

/** The pages, forms and assets. */
function siteRoutes(ports: WebPorts): Hono {
  const { paths, options, requireAuth } = ports;
  const { sessions, codes, passkeys } = ports.rules;
  const site = new Hono();
  const sameOrigin = refuseCrossSite(ports);
  const proxyWarning = createProxyWarning(ports.proxies, ports.requests.log);

  site.get(paths.login, (c) => getLogin(ports, c));
  site.post(paths.login, sameOrigin, proxyWarning, withForm(ports, postLogin));
  site.get(paths.setup, (c) => getSetup(ports, c));
  site.post(paths.setup, sameOrigin, withForm(ports, postSetup));
  site.post(paths.logout, sameOrigin, (c) => postLogout(ports, c));
  site.post(paths.password, sameOrigin, requireAuth, withForm(ports, postPassword));
  if (sessions !== undefined) {
    const given = { ...ports, sessions };
    site.post(paths.endSession, sameOrigin, requireAuth, withForm(given, postEndSession));
  }
  // The forms of one-time codes are only on the home page.
  if (codes !== undefined && paths.home !== null) {
    const given = { ...ports, codes };
    site.post(paths.beginCodes, sameOrigin, requireAuth, withForm(given, postBeginCodes));
    site.post(paths.confirmCodes, sameOrigin, requireAuth, withForm(given, postConfirmCodes));
    site.post(paths.turnOffCodes, sameOrigin, requireAuth, withForm(given, postTurnOffCodes));
  }
  if (passkeys !== undefined) {
    const given = { ...ports, passkeys };
    site.post(paths.passkeyLogin, sameOrigin, proxyWarning, withForm(given, postPasskeyLogin));
    site.post(paths.addPasskey, sameOrigin, requireAuth, withForm(given, postAddPasskey));
    site.post(paths.removePasskey, sameOrigin, requireAuth, withForm(given, postRemovePasskey));
  }
  for (const asset of ports.assets) site.get(asset.path, () => respondAsset(asset));
  const homes = homePathsOf(paths, options);
  for (const path of homes) site.get(path, requireAuth, (c) => getHome(ports, c));
  const lastHome = homes.at(-1);
  if (options.siteFiles && lastHome !== undefined) {
    // Browsers unfold the form that the fragment names.
    site.get(CHANGE_PASSWORD, () => redirect(`${lastHome}#change-password`));
  }
  return site;
}

/** The methods of each path, as the `Allow` header of a 405 lists them. */
export function methodsOf(routes: Hono): ReadonlyMap<string, string> {
  const methods = new Map<string, readonly string[]>();
  for (const { path, method } of routes.routes) {
    if (method === METHOD_NAME_ALL) continue;
    const answered = method === "GET" ? ["GET", "HEAD"] : [method];
    methods.set(path, [...new Set([...(methods.get(path) ?? []), ...answered])]);
  }
  return new Map([...methods].map(([path, list]) => [path, list.join(", ")]));
}

/** Adds the request's ID to the response and to lines in the server log. */
function withRequestId({ requests }: WebPorts): MiddlewareHandler {
  return (c, next) =>
    requests.run(requestSourceOf(c), async (id) => {
      await next();
      c.res.headers.set(REQUEST_ID, id);
    });
}

/** Queries the database without any cache and reports whether it answers. */
async function answerReady({ options, requests }: WebPorts): Promise<Response> {
  try {
    await options.store.hasUsers();
    return respondText("ready", 200);
  } catch (error) {
    requests.log.warn({ reason: messageOf(error) }, "not ready: the store does not answer");
    return respondText("the store does not answer", 503);
  }
}

function refuseCrossSite(ports: WebPorts): MiddlewareHandler {
  return async (c, next) => {
    if (!isCrossSite((name) => c.req.header(name), ports.options.trustedOrigins)) return next();
    noteRefusal(ports, c, "form of another site refused");
    return ports.views.error(requestInfoOf(c), 403, "crossSite");
  };
}

/** Calls the handler with the form; refuses a body that cannot be read as one. */
function withForm<Ports extends WebPorts, C extends Context>(
  ports: Ports,
  handle: (ports: Ports, c: C, form: Form) => Promise<Response>,
): (c: C) => Promise<Response> {
  return async (c) => {
    const reading = await readForm(c.req.raw, incomingOf(c));
    switch (reading.kind) {
      case "form":
        return handle(ports, c, reading.form);
      case "too-large":
        noteRefusal(ports, c, "unreadable form refused");
        return ports.views.error(requestInfoOf(c), 413, "formTooLarge");
      case "not-utf8":
        noteRefusal(ports, c, "unreadable form refused");
        return ports.views.error(requestInfoOf(c), 400, "formNotUtf8");
      case "aborted":
        return ports.views.error(requestInfoOf(c), 400, "formNotWhole");
    }
  };
}
