import type { Context } from "hono";
import type { SetUpForm, SetUpOutcome } from "../core/set-up.ts";
import { isSetupTokenExpected, type SetupTokenSource } from "../core/setup-token.ts";
import type { UserMemory } from "../core/user-memory.ts";
import type { Form } from "./form.ts";
import { locationFor, type PostLoginLocation } from "./location.ts";
import type { Paths } from "./paths.ts";
import type { Responses } from "./responses.ts";
import { RETURN_TO, type ReturnTo, withReturnTo } from "./return-to.ts";
import { sessionCookies } from "./session-cookie.ts";
import type { Views } from "./views.ts";
import { visitOf } from "./visit.ts";

export interface SetupPorts {
  readonly setUp: (form: SetUpForm) => Promise<SetUpOutcome>;
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
    tokenExpected: isSetupTokenExpected(await ports.setupToken.read()),
    token: c.req.query("token") ?? "",
    offersDomain: ports.offersDomain,
    returnTo: target,
  });
}

export async function postSetup(ports: SetupPorts, c: Context, form: Form): Promise<Response> {
  const { redirect } = ports.responses;
  const outcome = await ports.setUp({
    token: form("token"),
    username: form("username"),
    password: form("password"),
    confirm: form("confirm"),
    domain: form("domain"),
  });
  const target = ports.returnTo.accepted(c, form(RETURN_TO));
  switch (outcome.kind) {
    case "already-configured":
      return redirect(withReturnTo(ports.paths.login, target));
    case "invalid-setup-token":
      return ports.views.error(visitOf(c), 403, "invalid setup token");
    case "username-or-password-missing":
      return ports.views.error(visitOf(c), 422, "username and password are required");
    case "passwords-differ":
      return ports.views.error(visitOf(c), 422, "passwords do not match");
    case "set-up":
      return redirect(
        target ?? locationFor(ports.postLoginLocation, outcome.user),
        sessionCookies(c, outcome.token, ports.cookieDomain),
      );
  }
}
