import type { Context } from "hono";
import { isSetupTokenExpected } from "../core/setup-token.ts";
import { locationFor } from "./location.ts";
import type { FormProblem, SetupField } from "./pages/page-data.ts";
import type { WebPorts } from "./ports.ts";
import { type Form, missingFields } from "./request/form.ts";
import { clientOf } from "./request/remote-address.ts";
import { requestInfoOf } from "./request/request-info.ts";
import { RETURN_TO, withReturnTo } from "./return-to.ts";
import { sessionCookies } from "./session-cookie.ts";

export async function getSetup(ports: WebPorts, c: Context): Promise<Response> {
  const target = ports.returnTo.accepted(c, c.req.query(RETURN_TO));
  if (await ports.users.anyExists()) {
    return ports.responses.redirect(withReturnTo(ports.paths.login, target));
  }
  return ports.views.page(requestInfoOf(c), "setup", {
    ...(await optionalFields(ports)),
    token: c.req.query("token") ?? "",
    username: "",
    domain: "",
    returnTo: target,
    problem: undefined,
  });
}

/** The optional fields of the form. */
async function optionalFields({ setupToken, offersDomain }: WebPorts) {
  return { tokenExpected: isSetupTokenExpected(await setupToken.read()), offersDomain };
}

export async function postSetup(ports: WebPorts, c: Context, form: Form): Promise<Response> {
  const { redirect } = ports.responses;
  const typed = {
    token: form("token"),
    username: form("username"),
    password: form("password"),
    confirm: form("confirm"),
    domain: form("domain"),
  };
  const outcome = await ports.setUp(typed, clientOf(c, ports.proxies));
  const target = ports.returnTo.accepted(c, form(RETURN_TO));
  const { messages } = ports.views.words(requestInfoOf(c));

  /** Keeps all entered values except the passwords. */
  const again = async (status: number, problem: FormProblem<SetupField>): Promise<Response> =>
    ports.views.formProblem(requestInfoOf(c), status, "setup", {
      ...(await optionalFields(ports)),
      token: form("token"),
      username: form("username"),
      domain: form("domain"),
      returnTo: target,
      problem,
    });

  switch (outcome.kind) {
    case "already-configured":
      return redirect(withReturnTo(ports.paths.login, target));
    case "invalid-setup-token":
      ports.noteRefusal(c, "setup rejected");
      return again(403, { message: messages.invalidSetupToken, fields: ["token"] });
    case "username-or-password-missing":
      return again(422, {
        message: messages.usernameOrPasswordMissing,
        fields: missingFields(form, "username", "password"),
      });
    case "passwords-differ":
      return again(422, { message: messages.passwordsDiffer, fields: ["password", "confirm"] });
    case "set-up":
      return redirect(
        target ?? locationFor(ports.postLoginLocation, outcome.user),
        sessionCookies(c, outcome.token, ports.cookieDomain),
      );
  }
}
