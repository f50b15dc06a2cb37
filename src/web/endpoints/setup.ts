import { setUp } from "../../core/setup/set-up.ts";
import { isSetupTokenExpected } from "../../core/setup/setup-token.ts";
import { type Answer, redirect } from "../answers/responses.ts";
import { acceptedTarget, RETURN_TO, withReturnTo } from "../answers/return-to.ts";
import type { PageData, SetupField } from "../pages/page-data.ts";
import type { MessageName } from "../pages/words.ts";
import { type Form, missingFields } from "../request/form.ts";
import { noteRefusal } from "../request/warnings.ts";
import { parameterOf } from "../request/web-request.ts";
import type { Context } from "../services.ts";
import { enter } from "./redirects.ts";

export async function getSetup(context: Context): Promise<Answer> {
  const { rules, options, views, paths, request } = context;
  const target = acceptedTarget(options, request, parameterOf(request, RETURN_TO));
  if (await rules.memory.anyExists()) return redirect(withReturnTo(paths.login, target));
  const fromLink: Form = (field) => (field === "token" ? (parameterOf(request, field) ?? "") : "");
  return views.page(context, "setup", await setupData(context, fromLink, target));
}

/** Keeps all entered values except the passwords. */
async function setupData(
  { rules }: Context,
  entered: Form,
  returnTo: string | undefined,
): Promise<PageData["setup"]> {
  return {
    tokenExpected: isSetupTokenExpected(await rules.setupToken.read()),
    offersDomain: rules.setUpDomain !== undefined,
    token: entered("token"),
    username: entered("username"),
    domain: entered("domain"),
    returnTo,
  };
}

export async function postSetup(context: Context, form: Form): Promise<Answer> {
  const { rules, options, views, paths, request } = context;
  const entered = {
    token: form("token"),
    username: form("username"),
    password: form("password"),
    confirm: form("confirm"),
    domain: form("domain"),
  };
  const outcome = await setUp(rules, entered, context.client);
  const target = acceptedTarget(options, request, form(RETURN_TO));

  async function again(
    status: number,
    name: MessageName,
    ...fields: [SetupField, ...SetupField[]]
  ): Promise<Answer> {
    const problem = { message: views.message(request, name), fields };
    const data = { ...(await setupData(context, form, target)), problem };
    return views.page(context, "setup", data, { status });
  }

  switch (outcome.kind) {
    case "already-configured":
      return redirect(withReturnTo(paths.login, target));
    case "invalid-setup-token":
      noteRefusal(context, request, "setup rejected");
      return again(403, "invalidSetupToken", "token");
    case "username-or-password-missing": {
      const missing = missingFields(form, "username", "password");
      return again(422, "usernameOrPasswordMissing", ...missing);
    }
    case "passwords-differ":
      return again(422, "passwordsDiffer", "password", "confirm");
    case "username-unstorable":
      return again(422, "usernameUnstorable", "username");
    case "set-up":
      return enter(context, outcome, target);
  }
}
