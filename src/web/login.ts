import type { Context } from "hono";
import { locationFor } from "./location.ts";
import type { WebPorts } from "./ports.ts";
import type { Form } from "./request/form.ts";
import { requestInfoOf } from "./request/request-info.ts";
import { RETURN_TO, withReturnTo } from "./return-to.ts";
import { sessionCookies } from "./session-cookie.ts";

export function getLogin({ views, returnTo }: WebPorts, c: Context): Promise<Response> {
  const target = returnTo.accepted(c, c.req.query(RETURN_TO));
  return views.page(requestInfoOf(c), "login", { returnTo: target });
}

export async function postLogin(ports: WebPorts, c: Context, form: Form): Promise<Response> {
  const { redirect } = ports.responses;
  const remoteAddress = ports.proxies.remoteAddress(c);
  ports.warnUntrustedProxy(c);
  const outcome = await ports.signIn({
    remoteAddress,
    signal: c.req.raw.signal,
    username: form("username"),
    password: form("password"),
  });
  const target = ports.returnTo.accepted(c, form(RETURN_TO));
  switch (outcome.kind) {
    case "needs-setup":
      return redirect(withReturnTo(ports.paths.setup, target));
    case "rate-limited":
    case "rejected":
      ports.noteRefusal(c, `sign-in ${outcome.kind}`);
      return redirect(withReturnTo(`${ports.paths.login}?error=1`, target));
    case "signed-in":
      return redirect(
        target ?? locationFor(ports.postLoginLocation, outcome.user),
        sessionCookies(c, outcome.token, ports.cookieDomain),
      );
  }
}
