import { type Form, findMissingFields } from "../../http/form.ts";
import { type Answer, redirect } from "../../http/responses.ts";
import { acceptReturnTarget, addReturnTo, RETURN_TO } from "../../http/return-to.ts";
import { logRefusal } from "../../http/warnings.ts";
import { getParameter } from "../../http/web-request.ts";
import type { PageData, SetupField } from "../../pages/page-data.ts";
import type { MessageName } from "../../pages/words.ts";
import type { Context } from "../context.ts";
import { redirectSignedIn } from "../redirects.ts";
import { setUp } from "./set-up.ts";
import { isSetupTokenExpected } from "./setup-token.ts";

export async function getSetup(context: Context): Promise<Answer> {
  const { rules, options, views, paths, request } = context;
  const target = acceptReturnTarget(options, request, getParameter(request, RETURN_TO));
  if (await rules.credentialCache.anyExists()) return redirect(addReturnTo(paths.login, target));
  const readFromLink: Form = (field) =>
    field === "token" ? (getParameter(request, field) ?? "") : "";
  return views.page(context, "setup", await readSetupData(context, readFromLink, target));
}

/** Returns the data of the setup page, with all entered values except the passwords. */
async function readSetupData(
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
  const target = acceptReturnTarget(options, request, form(RETURN_TO));

  async function showProblem(
    status: number,
    name: MessageName,
    ...fields: [SetupField, ...SetupField[]]
  ): Promise<Answer> {
    const problem = { message: views.message(request, name), fields };
    const data = { ...(await readSetupData(context, form, target)), problem };
    return views.page(context, "setup", data, { status });
  }

  switch (outcome.kind) {
    case "already-configured":
      return redirect(addReturnTo(paths.login, target));
    case "invalid-setup-token":
      logRefusal(context, request, "setup rejected");
      return showProblem(403, "invalidSetupToken", "token");
    case "username-or-password-missing": {
      const missing = findMissingFields(form, "username", "password");
      return showProblem(422, "usernameOrPasswordMissing", ...missing);
    }
    case "passwords-differ":
      return showProblem(422, "passwordsDiffer", "password", "confirm");
    case "username-unstorable":
      return showProblem(422, "usernameUnstorable", "username");
    case "set-up":
      return redirectSignedIn(context, outcome, target);
  }
}
