import type { Context } from "hono";
import type { Client } from "../core/requester.ts";
import type { SetUpForm, SetUpOutcome } from "../core/set-up.ts";
import { isSetupTokenExpected, type SetupTokenSource } from "../core/setup-token.ts";
import type { UserMemory } from "../core/user-memory.ts";
import { locationFor, type PostLoginLocation } from "./location.ts";
import type { FormProblem, SetupField } from "./pages/page-data.ts";
import type { Paths } from "./paths.ts";
import { type Form, missingFields } from "./request/form.ts";
import type { NoteRefusal } from "./request/refusals.ts";
import { clientOf, type ProxyTrust } from "./request/remote-address.ts";
import { visitOf } from "./request/visit.ts";
import type { Responses } from "./responses.ts";
import { RETURN_TO, type ReturnTo, withReturnTo } from "./return-to.ts";
import { sessionCookies } from "./session-cookie.ts";
import type { Views } from "./views.ts";

export interface SetupPorts {
  readonly noteRefusal: NoteRefusal;
  readonly setUp: (form: SetUpForm, client: Client) => Promise<SetUpOutcome>;
  readonly proxies: ProxyTrust;
  readonly users: UserMemory;
  readonly setupToken: SetupTokenSource;
  readonly offersDomain: boolean;
  readonly returnTo: ReturnTo;
  readonly cookieDomain: string | undefined;
  readonly responses: Responses;
  readonly views: Views;
  readonly postLoginLocation: PostLoginLocation;
  readonly paths: Paths;
}

export async function getSetup(ports: SetupPorts, c: Context): Promise<Response> {
  const target = ports.returnTo.accepted(c, c.req.query(RETURN_TO));
  if (await ports.users.anyExists()) {
    return ports.responses.redirect(withReturnTo(ports.paths.login, target));
  }
  return ports.views.page(visitOf(c), "setup", {
    ...(await asked(ports)),
    token: c.req.query("token") ?? "",
    username: "",
    domain: "",
    returnTo: target,
    problem: undefined,
  });
}

/** What the form asks for besides the account itself. */
async function asked({ setupToken, offersDomain }: SetupPorts) {
  return { tokenExpected: isSetupTokenExpected(await setupToken.read()), offersDomain };
}

export async function postSetup(ports: SetupPorts, c: Context, form: Form): Promise<Response> {
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
  const { said } = ports.views.words(visitOf(c));

  /** All that was typed stays, but for the passwords. */
  const again = async (status: number, problem: FormProblem<SetupField>): Promise<Response> =>
    ports.views.refused(visitOf(c), status, "setup", {
      ...(await asked(ports)),
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
      return again(403, { message: said.invalidSetupToken, fields: ["token"] });
    case "username-or-password-missing":
      return again(422, {
        message: said.usernameOrPasswordMissing,
        fields: missingFields(form, "username", "password"),
      });
    case "passwords-differ":
      return again(422, { message: said.passwordsDiffer, fields: ["password", "confirm"] });
    case "set-up":
      return redirect(
        target ?? locationFor(ports.postLoginLocation, outcome.user),
        sessionCookies(c, outcome.token, ports.cookieDomain),
      );
  }
}
