import type { Context } from "hono";
import type { ServerLog } from "../core/server-log.ts";
import type { SignInAttempt, SignInOutcome } from "../core/sign-in.ts";
import type { Form } from "./form.ts";
import { locationFor, type PostLoginLocation } from "./location.ts";
import type { Paths } from "./paths.ts";
import type { ProxyTrust } from "./remote-address.ts";
import type { Responses } from "./responses.ts";
import { RETURN_TO, type ReturnTo, withReturnTo } from "./return-to.ts";
import { sessionCookies } from "./session-cookie.ts";
import type { Views } from "./views.ts";
import { visitOf } from "./visit.ts";

export interface LoginPorts {
  /** Whether the server log is told of attempts that failed, for programs that shut addresses out. */
  readonly logFailures: "on" | "off";
  readonly log: ServerLog;
  readonly signIn: (attempt: SignInAttempt) => Promise<SignInOutcome>;
  readonly proxies: ProxyTrust;
  readonly returnTo: ReturnTo;
  readonly cookieDomain: string | undefined;
  readonly responses: Responses;
  readonly views: Views;
  readonly postLoginLocation: PostLoginLocation;
  readonly paths: Paths;
}

export function getLogin({ views, returnTo }: LoginPorts, c: Context): Promise<Response> {
  const target = returnTo.accepted(c, c.req.query(RETURN_TO));
  return views.page(visitOf(c), "login", { returnTo: target });
}

export async function postLogin(ports: LoginPorts, c: Context, form: Form): Promise<Response> {
  const { redirect } = ports.responses;
  const remoteAddress = ports.proxies.remoteAddress(c);
  const outcome = await ports.signIn({
    remoteAddress,
    username: form("username"),
    password: form("password"),
  });
  const target = ports.returnTo.accepted(c, form(RETURN_TO));
  switch (outcome.kind) {
    case "needs-setup":
      return redirect(withReturnTo(ports.paths.setup, target));
    case "rate-limited":
    case "rejected":
      // Never the username: people type their passwords there.
      if (ports.logFailures === "on") {
        ports.log.warn({ address: remoteAddress }, `sign-in ${outcome.kind}`);
      }
      return redirect(withReturnTo(`${ports.paths.login}?error=1`, target));
    case "signed-in":
      return redirect(
        target ?? locationFor(ports.postLoginLocation, outcome.user),
        sessionCookies(c, outcome.token, ports.cookieDomain),
      );
  }
}
