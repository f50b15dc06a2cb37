import type { Context } from "hono";
import type { SetUpForm, SetUpOutcome } from "../core/set-up.ts";
import { isSetupTokenExpected, type SetupTokenSource } from "../core/setup-token.ts";
import type { UserMemory } from "../core/user-memory.ts";
import type { Form } from "./form.ts";
import type { Responses } from "./responses.ts";
import { sessionCookie } from "./session-cookie.ts";
import type { Views } from "./views.ts";

export interface SetupPorts {
  readonly setUp: (form: SetUpForm) => Promise<SetUpOutcome>;
  readonly users: UserMemory;
  readonly setupToken: SetupTokenSource;
  readonly offersDomain: boolean;
  readonly responses: Responses;
  readonly views: Views;
  readonly postLoginLocation: string;
}

export async function getSetup(ports: SetupPorts, c: Context): Promise<Response> {
  if (await ports.users.anyExists()) return ports.responses.redirect("/login");
  return ports.views.page(c, "setup", {
    tokenExpected: isSetupTokenExpected(await ports.setupToken.read()),
    token: c.req.query("token") ?? "",
    offersDomain: ports.offersDomain,
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
  switch (outcome.kind) {
    case "already-configured":
      return redirect("/login");
    case "invalid-setup-token":
      return ports.views.error(c, 403, "invalid setup token");
    case "username-or-password-missing":
      return ports.views.error(c, 422, "username and password are required");
    case "passwords-differ":
      return ports.views.error(c, 422, "passwords do not match");
    case "set-up":
      return redirect(ports.postLoginLocation, { "Set-Cookie": sessionCookie(c, outcome.token) });
  }
}
