import type { Form } from "../../http/form.ts";
import { createNoticeCookie, takeNotice } from "../../http/notice.ts";
import { FORGOT } from "../../http/paths.ts";
import { type Answer, redirect } from "../../http/responses.ts";
import { logRefusal } from "../../http/warnings.ts";
import type { Context } from "../context.ts";
import { getLimitedClient } from "../sign-in/sign-in-pages.ts";
import { askForNewPassword } from "./forgot-password.ts";

export async function getForgot(context: Context): Promise<Answer> {
  if (!(await context.rules.credentialCache.anyExists())) return redirect(context.paths.setup);
  const { notice, cookies } = takeNotice(context.request);
  return context.views.page(context, "forgot", { notice }, { cookies });
}

/** Answers everybody in the same way, whether there is such an account or not. */
export async function postForgot(context: Context, form: Form): Promise<Answer> {
  const { rules, views, paths, request } = context;
  if (!(await rules.credentialCache.anyExists())) return redirect(paths.setup);
  const client = await getLimitedClient(context);
  switch (await askForNewPassword(rules, form("login"), client)) {
    case "no-mail":
      return views.error(context, 404, "noSuchPage");
    case "rate-limited":
      logRefusal(context, request, "request for a new password rate-limited");
      return redirect(`${paths.login}${FORGOT}?error=1`);
    case "queued":
      return redirect(paths.login, [createNoticeCookie(request, "resetIsSent")]);
  }
}
