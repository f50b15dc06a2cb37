import type { Context } from "hono";
import type { SignInOutcome } from "../core/sign-in.ts";
import { locationFor } from "./location.ts";
import { offersPasskeySignIn } from "./passkeys-offered.ts";
import type { WebPorts } from "./ports.ts";
import type { Form } from "./request/form.ts";
import { clientOf } from "./request/remote-address.ts";
import { requestInfoOf } from "./request/request-info.ts";
import { noteRefusal } from "./request/warnings.ts";
import { redirect } from "./responses.ts";
import { acceptedTarget, askedOf, RETURN_TO, withReturnTo } from "./return-to.ts";
import { sessionCookies } from "./session-cookie.ts";

export async function getLogin(ports: WebPorts, c: Context): Promise<Response> {
  const { options, views } = ports;
  const info = requestInfoOf(c);
  const returnTo = acceptedTarget(options, askedOf(c), c.req.query(RETURN_TO));
  const { CurrentUser: user } = await views.helpers(info);
  const continueTo = user && (returnTo ?? locationFor(options.postLoginLocation, user));
  const [asksCode, offersPasskeys] = await Promise.all([
    asksForCode(ports),
    offersPasskeySignIn(ports, c),
  ]);
  return views.page(info, "login", { returnTo, continueTo, asksCode, offersPasskeys });
}

/** The field is also shown if the store cannot be asked: without codes, it has no effect. */
async function asksForCode({ rules }: WebPorts): Promise<boolean> {
  try {
    return await rules.users.anyHas("codes");
  } catch {
    return true;
  }
}

export async function postLogin(ports: WebPorts, c: Context, form: Form): Promise<Response> {
  const outcome = await ports.rules.signIn({
    ...clientOf(c, ports.proxies),
    remoteAddress: ports.proxies.remoteAddress(c),
    username: form("username"),
    password: form("password"),
    code: form("code"),
  });
  return answerSignIn(ports, c, form, outcome);
}

/** The response to every way of signing in. */
export function answerSignIn(
  ports: WebPorts,
  c: Context,
  form: Form,
  outcome: SignInOutcome,
): Response {
  const { options, paths } = ports;
  const target = acceptedTarget(options, askedOf(c), form(RETURN_TO));
  switch (outcome.kind) {
    case "needs-setup":
      return redirect(withReturnTo(paths.setup, target));
    case "rate-limited":
    case "rejected":
      noteRefusal(ports, c, `sign-in ${outcome.kind}`);
      return redirect(withReturnTo(`${paths.login}?error=1`, target));
    case "signed-in":
      return redirect(
        target ?? locationFor(options.postLoginLocation, outcome.user),
        sessionCookies(c, outcome.token, options.cookieDomain),
      );
  }
}
