import { type Context, Hono, type MiddlewareHandler } from "hono";
import { type AccountPorts, postPassword } from "./account.ts";
import { type Form, MAX_BODY_BYTES, readForm } from "./form.ts";
import type { GuardMiddleware } from "./guards.ts";
import { getLogin, type LoginPorts, postLogin } from "./login.ts";
import type { Pages } from "./pages.ts";
import { methodsOf } from "./paths.ts";
import { isCrossSite } from "./same-origin.ts";
import { clearedSessionCookies } from "./session-cookie.ts";
import { getSetup, postSetup, type SetupPorts } from "./setup.ts";
import { visitOf } from "./visit.ts";

export interface WebPorts extends LoginPorts, SetupPorts, AccountPorts {
  readonly pages: Pages;
  readonly requireAuth: GuardMiddleware;
  readonly trustedOrigins: readonly string[];
  /** What reverse proxies ask, where there is such a thing. */
  readonly forwardAuth: ((c: Context) => Promise<Response>) | undefined;
}

/** The route table. No wildcard in it: mounted in an application, it leaves other paths alone. */
export function createRoutes(ports: WebPorts): Hono {
  const { paths, views, responses, requireAuth } = ports;
  const app = new Hono();
  const sameOrigin = refuseCrossSite(ports);
  const withForm = formReader(ports);

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
  app.get(paths.styleSheet, () => responses.styleSheet(ports.pages.styleSheet));
  if (ports.forwardAuth !== undefined) {
    const asked = ports.forwardAuth;
    app.get(paths.forwardAuth, (c) => asked(c));
  }
  if (paths.home !== null) {
    app.get(paths.home, requireAuth, (c) => views.page(visitOf(c), "home", {}));
  }

  for (const [path, allow] of methodsOf(paths, ports.forwardAuth === undefined ? "off" : "on")) {
    app.all(path, (c) =>
      views.error(visitOf(c), 405, "this method is not allowed here", { Allow: allow }),
    );
  }
  app.notFound((c) => views.error(visitOf(c), 404, "there is no such page"));
  app.onError((fault, c) => views.fault(visitOf(c), fault));
  return app;
}

function refuseCrossSite({ views, trustedOrigins }: WebPorts): MiddlewareHandler {
  return async (c, next) => {
    const origin = {
      secFetchSite: c.req.header("sec-fetch-site"),
      origin: c.req.header("origin"),
      host: c.req.header("host"),
    };
    if (isCrossSite(origin, trustedOrigins)) {
      return views.error(visitOf(c), 403, "this form was sent from another site");
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
          return views.error(visitOf(c), 413, `a form may have ${MAX_BODY_BYTES} bytes at most`);
        case "not-utf8":
          return views.error(visitOf(c), 400, "the form is not valid UTF-8");
        case "aborted":
          return views.error(visitOf(c), 400, "the form did not arrive whole");
      }
    };
}
