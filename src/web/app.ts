import { type Context, Hono, type MiddlewareHandler } from "hono";
import { METHOD_NAME_ALL } from "hono/router";
import { isClientGone } from "../core/fault.ts";
import { type AccountPorts, postPassword } from "./account.ts";
import { type HostPorts, noSuchPage, pathsWithHost, refuseOtherHosts } from "./allowed-hosts.ts";
import type { GuardMiddleware } from "./guards.ts";
import { alive, type HealthPorts, ready } from "./health.ts";
import { getHome } from "./home.ts";
import { getLogin, type LoginPorts, postLogin } from "./login.ts";
import type { Asset } from "./pages/assets.ts";
import { CHANGE_PASSWORD } from "./paths.ts";
import { type Form, MAX_BODY_BYTES, readForm } from "./request/form.ts";
import type { RequestIds } from "./request/request-id.ts";
import { isCrossSite } from "./request/same-origin.ts";
import { markOf, visitOf } from "./request/visit.ts";
import { clearedSessionCookies } from "./session-cookie.ts";
import { getSetup, postSetup, type SetupPorts } from "./setup.ts";

export interface WebPorts extends LoginPorts, SetupPorts, AccountPorts, HealthPorts, HostPorts {
  /** What anybody may fetch. */
  readonly assets: readonly Asset[];
  /** Whether the paths that belong to the whole site are answered here. */
  readonly siteFiles: boolean;
  /** Whether load balancers and service managers can ask how things are. */
  readonly health: boolean;
  readonly requireAuth: GuardMiddleware;
  readonly trustedOrigins: readonly string[];
  readonly requests: RequestIds;
  /** What reverse proxies ask, where there is such a thing. */
  readonly forwardAuth: ((c: Context) => Promise<Response>) | undefined;
}

/** The route table. No wildcard in it: mounted in an application, it leaves other paths alone. */
export function createRoutes(ports: WebPorts): Hono {
  const { paths, views, responses, requireAuth } = ports;
  const app = new Hono();
  const sameOrigin = refuseCrossSite(ports);
  const withForm = formReader(ports);

  // Where something may have to be said about a request. What is asked often is left alone.
  const { login, setup, logout, password, ready: readiness, home: own } = paths;
  for (const path of [login, setup, logout, password, readiness, own]) {
    if (path !== null) app.use(path, spokenOf(ports));
  }

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
  if (ports.forwardAuth !== undefined) {
    const asked = ports.forwardAuth;
    app.get(paths.forwardAuth, (c) => asked(c));
  }
  if (ports.health) {
    app.get(paths.alive, () => alive(ports));
    app.get(paths.ready, () => ready(ports));
  }
  if (paths.home !== null) {
    const { home } = paths;
    app.get(home, requireAuth, (c) => getHome(ports, c, home));
    if (ports.siteFiles) app.get(CHANGE_PASSWORD, () => responses.redirect(home));
  }

  for (const [path, allow] of methodsOf(app)) {
    app.all(path, (c) =>
      views.say(visitOf(c), 405, (said) => said.methodNotAllowed, { Allow: allow }),
    );
  }
  app.notFound((c) => noSuchPage(ports, c));
  app.onError((fault, c) =>
    // Anybody can go away as often as they like: that is nothing for the server log.
    isClientGone(fault)
      ? views.say(visitOf(c), 400, (said) => said.formNotWhole)
      : views.fault(visitOf(c), fault),
  );
  return app;
}

/** Which methods each path answers to. What else is asked of it is refused with this list. */
export function methodsOf(routes: Hono): ReadonlyMap<string, string> {
  const methods = new Map<string, readonly string[]>();
  for (const { path, method } of routes.routes) {
    if (method === METHOD_NAME_ALL) continue;
    const answered = method === "GET" ? ["GET", "HEAD"] : [method];
    methods.set(path, [...new Set([...(methods.get(path) ?? []), ...answered])]);
  }
  return new Map([...methods].map(([path, list]) => [path, list.join(", ")]));
}

/** Lines in the server log get the request's ID, and then the answer gets it too. */
function spokenOf({ requests }: WebPorts): MiddlewareHandler {
  return (c, next) => {
    const mark = markOf(c);
    return requests.during(mark, async () => {
      await next();
      for (const [name, id] of Object.entries(requests.headers(mark))) c.header(name, id);
    });
  };
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
      return views.say(visitOf(c), 403, (said) => said.crossSite);
    }
    return next();
  };
}

/** Lets a handler see a form only where the body is one, or none at all. */
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
          return views.say(visitOf(c), 413, (said) => said.formTooLarge(MAX_BODY_BYTES));
        case "not-utf8":
          return views.say(visitOf(c), 400, (said) => said.formNotUtf8);
        case "aborted":
          return views.say(visitOf(c), 400, (said) => said.formNotWhole);
      }
    };
}
