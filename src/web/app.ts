import { type Context, Hono, type MiddlewareHandler } from "hono";
import { METHOD_NAME_ALL } from "hono/router";
import { isClientGone, messageOf } from "../core/fault.ts";
import { postPassword } from "./account.ts";
import { answerUnknownPath, pathsWithHost, refuseOtherHosts, sitePaths } from "./allowed-hosts.ts";
import { forwardAuth } from "./forward-auth.ts";
import { getHome } from "./home.ts";
import { getLogin, postLogin } from "./login.ts";
import { CHANGE_PASSWORD } from "./paths.ts";
import type { WebPorts } from "./ports.ts";
import { type Form, MAX_BODY_BYTES, readForm } from "./request/form.ts";
import { REQUEST_ID } from "./request/request-id.ts";
import { requestInfoOf, requestSourceOf } from "./request/request-info.ts";
import { isCrossSite } from "./request/same-origin.ts";
import { clearedSessionCookies } from "./session-cookie.ts";
import { getSetup, postSetup } from "./setup.ts";

/** The route table. It has no wildcard, so that an app which mounts it keeps its other paths. */
export function createRoutes(ports: WebPorts): Hono {
  const { paths, views, responses, requireAuth } = ports;
  const app = new Hono();
  const sameOrigin = refuseCrossSite(ports);
  const withForm = formReader(ports);
  const health = ports.health ? [paths.alive, paths.ready] : [];

  for (const path of [...sitePaths(ports), ...health]) app.use(path, withRequestId(ports));
  for (const path of pathsWithHost(ports)) app.use(path, refuseOtherHosts(ports));

  app.get(paths.login, (c) => getLogin(ports, c));
  app.post(
    paths.login,
    sameOrigin,
    withForm((c, form) => postLogin(ports, c, form)),
  );
  app.get(paths.setup, (c) => getSetup(ports, c));
  app.post(
    paths.setup,
    sameOrigin,
    withForm((c, form) => postSetup(ports, c, form)),
  );
  app.post(paths.logout, sameOrigin, () =>
    responses.redirect(paths.login, clearedSessionCookies(ports.cookieDomain)),
  );
  app.post(
    paths.password,
    sameOrigin,
    requireAuth,
    withForm((c, form) => postPassword(ports, c, form)),
  );
  for (const asset of ports.assets) app.get(asset.path, () => responses.asset(asset));
  if (ports.forwardAuth) app.get(paths.forwardAuth, (c) => forwardAuth(ports, c));
  if (ports.health) {
    app.get(paths.alive, () => responses.text("alive", 200));
    app.get(paths.ready, () => answerReady(ports));
  }
  if (paths.home !== null) {
    const { home } = paths;
    app.get(home, requireAuth, (c) => getHome(ports, c, home));
    if (ports.siteFiles) app.get(CHANGE_PASSWORD, () => responses.redirect(home));
  }

  for (const [path, allow] of methodsOf(app)) {
    app.all(path, (c) =>
      views.problem(requestInfoOf(c), 405, (messages) => messages.methodNotAllowed, {
        Allow: allow,
      }),
    );
  }
  app.notFound((c) => answerUnknownPath(ports, c));
  app.onError((fault, c) =>
    // Not logged: any client could fill the server log by disconnecting.
    isClientGone(fault)
      ? views.problem(requestInfoOf(c), 400, (messages) => messages.formNotWhole)
      : views.fault(requestInfoOf(c), fault),
  );
  return app;
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
async function answerReady({ store, responses, log }: WebPorts): Promise<Response> {
  try {
    await store.hasUsers();
    return responses.text("ready", 200);
  } catch (error) {
    log.warn({ reason: messageOf(error) }, "not ready: the store does not answer");
    return responses.text("the store does not answer", 503);
  }
}

function refuseCrossSite({ views, trustedOrigins, noteRefusal }: WebPorts): MiddlewareHandler {
  return async (c, next) => {
    const origin = {
      secFetchSite: c.req.header("sec-fetch-site"),
      origin: c.req.header("origin"),
      host: c.req.header("host"),
    };
    if (isCrossSite(origin, trustedOrigins)) {
      noteRefusal(c, "form of another site refused");
      return views.problem(requestInfoOf(c), 403, (messages) => messages.crossSite);
    }
    return next();
  };
}

/** Calls the handler with the form; refuses a body that cannot be read as one. */
function formReader({ views }: WebPorts) {
  return <C extends Context>(
    handle: (c: C, form: Form) => Response | Promise<Response>,
  ): ((c: C) => Promise<Response>) =>
    async (c) => {
      const reading = await readForm(c.req.raw);
      switch (reading.kind) {
        case "form":
          return handle(c, reading.form);
        case "too-large":
          return views.problem(requestInfoOf(c), 413, (messages) =>
            messages.formTooLarge(MAX_BODY_BYTES),
          );
        case "not-utf8":
          return views.problem(requestInfoOf(c), 400, (messages) => messages.formNotUtf8);
        case "aborted":
          return views.problem(requestInfoOf(c), 400, (messages) => messages.formNotWhole);
      }
    };
}
