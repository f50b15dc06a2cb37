import { type Form, findMissingFields } from "../../http/form.ts";
import { findFormPage } from "../../http/form-page.ts";
import { resolveLocation } from "../../http/location.ts";
import { createNoticeCookie } from "../../http/notice.ts";
import { removeQuery } from "../../http/paths.ts";
import { COOKIE_CHALLENGE, noteForgedToken } from "../../http/refusals.ts";
import { type Answer, redirect, respond, respondJson } from "../../http/responses.ts";
import { logRefusal } from "../../http/warnings.ts";
import { isAdmitted } from "../../identity/authenticate-session.ts";
import type { PasswordField } from "../../pages/page-data.ts";
import type { MessageName } from "../../pages/words.ts";
import type { AccountFormResult } from "../account-form.ts";
import type { Context, UserContext } from "../context.ts";
import { endOthers } from "../sessions/sessions-pages.ts";
import {
  type ChangePasswordForm,
  type ChangePasswordOutcome,
  changePassword,
} from "./change-password.ts";

export async function postPassword(context: UserContext, form: Form): Promise<AccountFormResult> {
  const entered = {
    currentPassword: form("current_password"),
    newPassword: form("new_password"),
    confirmPassword: form("confirm_password"),
  };
  const outcome = await enterPasswordChange(context, entered);

  const showProblem = (
    message: MessageName,
    ...fields: readonly [PasswordField, ...PasswordField[]]
  ): AccountFormResult => ({ kind: "problem", problem: { form: "password", message, fields } });

  switch (outcome.kind) {
    case "no-user":
      return { kind: "answered", answer: redirect(context.paths.login) };
    case "field-missing":
      return showProblem(
        "fieldMissing",
        ...findMissingFields(form, "current_password", "new_password"),
      );
    case "current-password-incorrect":
      return showProblem("currentPasswordIncorrect", "current_password");
    case "new-passwords-differ":
      return showProblem("newPasswordsDiffer", "new_password", "confirm_password");
    case "new-password-too-short":
      return showProblem("newPasswordTooShort", "new_password");
    case "changed": {
      const isAsked = form("end_others") !== "";
      const cookies = isAsked ? await endOthers(context) : [];
      return { kind: "answered", answer: refresh(context, cookies) };
    }
  }
}

/** Changes the password with what a person entered in a form. A wrong one is logged. */
export async function enterPasswordChange(
  context: UserContext,
  entered: ChangePasswordForm,
): Promise<ChangePasswordOutcome> {
  const { rules, request, user, client } = context;
  const outcome = await changePassword(rules, user.id, entered, client);
  if (outcome.kind === "current-password-incorrect") {
    logRefusal(context, request, "password change rejected");
  }
  return outcome;
}

/**
 * Reloads the page of the form: htmx reloads it because of a header, and other clients because of a
 * redirect.
 */
function refresh(
  { options, paths, request, user }: UserContext,
  session: readonly string[],
): Answer {
  const page = findFormPage(paths, request);
  const isOwnPage = page !== undefined && removeQuery(page) === paths.account?.signInMethods;
  const notice = isOwnPage ? [createNoticeCookie(request, "passwordIsChanged")] : [];
  const cookies = [...session, ...notice];
  return request.header("hx-request") === "true"
    ? respond(null, 200, { "HX-Refresh": "true" }, cookies)
    : redirect(page ?? resolveLocation(options.postLoginLocation, user), cookies);
}

/**
 * Tells scripts who is signed in. Without CORS headers, pages of other origins cannot read the
 * response.
 */
export async function getMe(context: Context): Promise<Answer> {
  const { rules, request } = context;
  const admission = await rules.authenticate(request.header("cookie"));
  if (!isAdmitted(admission)) {
    noteForgedToken(context, admission, request);
    return respondJson({ user: null }, 401, COOKIE_CHALLENGE);
  }
  const { groups = [], ...user } = admission.user;
  return respondJson({ user: { ...user, groups } }, 200);
}
