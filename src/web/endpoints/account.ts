import { andThen, type MaybePromise } from "../../core/base/maybe-promise.ts";
import { isLocalPath } from "../../core/hosts/return-target.ts";
import { changePassword } from "../../core/sign-in/change-password.ts";
import { COOKIE_CHALLENGE } from "../answer-refused.ts";
import { locationFor } from "../answers/location.ts";
import { noticeCookie } from "../answers/notice.ts";
import { type Answer, redirect, respond, respondJson } from "../answers/responses.ts";
import { noteForged } from "../guards.ts";
import type { PasswordField } from "../pages/page-data.ts";
import type { MessageName } from "../pages/words.ts";
import { type Paths, pathOf } from "../paths.ts";
import type { OwnFormEndpoint, OwnVisit, Visit } from "../ports.ts";
import { missingFields } from "../request/form.ts";
import { isOfHost } from "../request/same-origin.ts";
import { noteRefusal } from "../request/warnings.ts";
import type { WebRequest } from "../request/web-request.ts";
import { answerForm } from "./home.ts";
import { endOthers } from "./sessions.ts";

export const postPassword: OwnFormEndpoint = async (visit, form) => {
  const entered = {
    currentPassword: form("current_password"),
    newPassword: form("new_password"),
    confirmPassword: form("confirm_password"),
  };
  const { rules, request, client } = visit;
  const outcome = await changePassword(rules, request.user.id, entered, client);

  const again = (
    message: MessageName,
    ...fields: readonly [PasswordField, ...PasswordField[]]
  ): Promise<Answer> => answerForm(visit, { problem: { form: "password", message, fields } });

  switch (outcome.kind) {
    case "no-user":
      return redirect(visit.paths.login);
    case "field-missing":
      return again("fieldMissing", ...missingFields(form, "current_password", "new_password"));
    case "current-password-incorrect":
      noteRefusal(visit, request, "password change rejected");
      return again("currentPasswordIncorrect", "current_password");
    case "new-passwords-differ":
      return again("newPasswordsDiffer", "new_password", "confirm_password");
    case "new-password-too-short":
      return again("newPasswordTooShort", "new_password");
    case "changed": {
      const isAsked = form("end_others") !== "";
      return refresh(visit, isAsked ? await endOthers(visit) : []);
    }
  }
};

/** Reloads the page of the form: htmx by a header, other clients by a redirect. */
function refresh({ options, paths, request }: OwnVisit, session: readonly string[]): Answer {
  const page = pageOfForm(request, paths);
  const isHome = page !== undefined && paths.homes.includes(pathOf(page));
  const notice = isHome ? [noticeCookie(request, "passwordIsChanged")] : [];
  const cookies = [...session, ...notice];
  return request.header("hx-request") === "true"
    ? respond(null, 200, { "HX-Refresh": "true" }, cookies)
    : redirect(page ?? locationFor(options.postLoginLocation, request.user), cookies);
}

/**
 * Path and query of the page that sent the form, if it is on this host. The path that shows a form
 * problem has no GET, so the home page takes its place.
 */
export function pageOfForm(request: WebRequest, { password, home }: Paths): string | undefined {
  const referer = request.header("referer");
  if (referer === undefined || !isOfHost(referer, request.header("host"))) return undefined;
  const { pathname, search } = new URL(referer);
  if (pathname === password) return home;
  const path = `${pathname}${search}`;
  return isLocalPath(path) ? path : undefined;
}

/** Tells scripts who is signed in. Without CORS headers, pages of other origins cannot read it. */
export function getMe(visit: Visit): MaybePromise<Answer> {
  const { rules, request } = visit;
  return andThen(rules.requireAuth(request.header("cookie")), (admission) => {
    if (!("user" in admission)) {
      noteForged(visit, admission, request);
      return respondJson({ user: null }, 401, COOKIE_CHALLENGE);
    }
    const { groups = [], ...user } = admission.user;
    return respondJson({ user: { ...user, groups } }, 200);
  });
}
