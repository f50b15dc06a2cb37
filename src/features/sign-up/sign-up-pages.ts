import type { Form } from "../../http/form.ts";
import { createNoticeCookie } from "../../http/notice.ts";
import { type Answer, redirect } from "../../http/responses.ts";
import { logRefusal } from "../../http/warnings.ts";
import type { MessageName } from "../../pages/words.ts";
import type { Context } from "../context.ts";
import { listProviders } from "../list-providers.ts";
import { getLimitedClient } from "../sign-in/sign-in-pages.ts";
import { type AskToSignUpOutcome, askToSignUp } from "./sign-up.ts";

export async function getSignUp(context: Context): Promise<Answer> {
  const { rules, paths } = context;
  if (!(await rules.credentialCache.anyExists())) return redirect(paths.setup);
  return show(context, "");
}

/** Answers every address in the same way, whether an account has it or not. */
export async function postSignUp(context: Context, form: Form): Promise<Answer> {
  const { views, paths, request } = context;
  const email = form("email");
  switch (await enterSignUp(context, email)) {
    case "needs-setup":
      return redirect(paths.setup);
    case "off":
      return views.error(context, 404, "noSuchPage");
    case "rate-limited":
      return redirect(`${paths.login}/sign-up?error=1`);
    case "email-invalid":
      return show(context, email, "emailInvalid");
    case "domain-refused":
      return show(context, email, "domainRefused");
    case "queued":
      return redirect(paths.login, [createNoticeCookie(request, "confirmationIsSent")]);
  }
}

/** Asks for an account with the address that a person entered in a form. */
export async function enterSignUp(context: Context, email: string): Promise<AskToSignUpOutcome> {
  const { rules, views, request } = context;
  const client = await getLimitedClient(context);
  const locale = views.locale(request);
  const outcome = await askToSignUp(rules, rules.signUp, email, client, locale);
  if (outcome === "rate-limited") logRefusal(context, request, "registration rate-limited");
  return outcome;
}

function show(context: Context, email: string, problem?: MessageName): Promise<Answer> {
  const { rules, options, views, request } = context;
  const data = {
    email,
    domains: rules.signUp.domains ?? [],
    takesAddress: options.mail !== undefined,
    providers: listProviders(context, undefined),
    ...(problem && {
      problem: { message: views.message(request, problem), fields: ["email"] as const },
    }),
  };
  return views.page(context, "signUp", data, { status: problem === undefined ? 200 : 422 });
}
