import { isLocalPath } from "../../core/hosts/return-target.ts";
import { locationFor } from "../answers/location.ts";
import { noticeCookie } from "../answers/notice.ts";
import { type Answer, redirect, respond } from "../answers/responses.ts";
import type { PasswordField } from "../pages/page-data.ts";
import type { MessageName } from "../pages/words/en.ts";
import { homePathsOf, pathOf } from "../paths.ts";
import type { WebPorts } from "../ports.ts";
import { type Form, missingFields } from "../request/form.ts";
import { clientOf } from "../request/remote-address.ts";
import { isOfHost } from "../request/same-origin.ts";
import { noteRefusal } from "../request/warnings.ts";
import type { AdmittedRequest, WebRequest } from "../request/web-request.ts";
import { homeWithProblem } from "./home.ts";
import { endOthers } from "./sessions.ts";

export async function postPassword(
  ports: WebPorts,
  request: AdmittedRequest,
  form: Form,
): Promise<Answer> {
  const { rules, views, paths } = ports;
  const entered = {
    currentPassword: form("current_password"),
    newPassword: form("new_password"),
    confirmPassword: form("confirm_password"),
  };
  const outcome = await rules.changePassword(
    request.user.id,
    entered,
    clientOf(request, ports.proxies),
  );

  const again = (
    name: MessageName,
    ...fields: readonly [PasswordField, ...PasswordField[]]
  ): Promise<Answer> =>
    paths.home === null
      ? views.error(request, 422, name)
      : homeWithProblem(ports, request, { form: "password", message: name, fields });

  switch (outcome.kind) {
    case "no-user":
      return redirect(paths.login);
    case "field-missing":
      return again("fieldMissing", ...missingFields(form, "current_password", "new_password"));
    case "current-password-incorrect":
      noteRefusal(ports, request, "password change rejected");
      return again("currentPasswordIncorrect", "current_password");
    case "new-passwords-differ":
      return again("newPasswordsDiffer", "new_password", "confirm_password");
    case "new-password-too-short":
      return again("newPasswordTooShort", "new_password");
    case "changed": {
      const isAsked = form("end_others") !== "";
      return refresh(ports, request, isAsked ? await endOthers(ports, request) : []);
    }
  }
}

/** Reloads the page of the form: htmx by a header, other clients by a redirect. */
function refresh(ports: WebPorts, request: AdmittedRequest, session: readonly string[]): Answer {
  const { options, paths } = ports;
  const homes = homePathsOf(paths, options);
  const page = pageOfForm(request, paths.password, homes);
  const isHome = page !== undefined && homes.includes(pathOf(page));
  const cookies = isHome
    ? [...session, noticeCookie(request, String(paths.home), "password-changed")]
    : session;
  if (request.header("hx-request") === "true") {
    return respond(null, 200, { "HX-Refresh": "true" }, cookies);
  }
  return redirect(page ?? locationFor(options.postLoginLocation, request.user), cookies);
}

/**
 * Path and query of the page that sent the form, if it is on this host. The path that shows a form
 * problem has no GET, so the home page takes its place.
 */
function pageOfForm(
  request: WebRequest,
  formPath: string,
  homes: readonly string[],
): string | undefined {
  const referer = request.header("referer");
  if (referer === undefined || !isOfHost(referer, request.header("host"))) return undefined;
  const { pathname, search } = new URL(referer);
  if (pathname === formPath) return homes.at(-1);
  const path = `${pathname}${search}`;
  return isLocalPath(path) ? path : undefined;
}
