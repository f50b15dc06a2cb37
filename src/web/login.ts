import type { Context } from "hono";
import type { SignInAttempt, SignInOutcome } from "../core/sign-in.ts";
import { locationFor, type PostLoginLocation } from "./location.ts";
import type { Paths } from "./paths.ts";
import type { Form } from "./request/form.ts";
import type { NoteRefusal } from "./request/refusals.ts";
import type { ProxyTrust } from "./request/remote-address.ts";
import { visitOf } from "./request/visit.ts";
import type { Responses } from "./responses.ts";
import { RETURN_TO, type ReturnTo, withReturnTo } from "./return-to.ts";
import { sessionCookies } from "./session-cookie.ts";
import type { Views } from "./views.ts";

export interface LoginPorts {
  readonly noteRefusal: NoteRefusal;
  readonly signIn: (attempt: SignInAttempt) => Promise<SignInOutcome>;
  readonly proxies: ProxyTrust;
  /** Looks whether a proxy was forgotten in the settings. */
  readonly warnOfUnheeded: (c: Context) => void;
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
  ports.warnOfUnheeded(c);
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
