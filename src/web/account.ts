import type { Context } from "hono";
import { isLocalPath } from "../core/return-target.ts";
import type { SignedIn } from "./guards.ts";
import { homeWithProblem, passwordChangedNotice } from "./home.ts";
import { locationFor } from "./location.ts";
import type { FormProblem, PasswordField } from "./pages/page-data.ts";
import { type Paths, pathOf } from "./paths.ts";
import type { WebPorts } from "./ports.ts";
import { type Form, missingFields } from "./request/form.ts";
import { clientOf } from "./request/remote-address.ts";
import { requestInfoOf } from "./request/request-info.ts";
import { isOfHost } from "./request/same-origin.ts";

export async function postPassword(
  ports: WebPorts,
  c: Context<SignedIn>,
  form: Form,
): Promise<Response> {
  const typed = {
    currentPassword: form("current_password"),
    newPassword: form("new_password"),
    confirmPassword: form("confirm_password"),
  };
  const client = clientOf(c, ports.proxies);
  const outcome = await ports.changePassword(c.var.user.id, typed, client);
  const { messages } = ports.views.words(requestInfoOf(c));
  const again = (
    message: string,
    ...fields: FormProblem<PasswordField>["fields"]
  ): Promise<Response> =>
    ports.paths.home === null
      ? ports.views.error(requestInfoOf(c), 422, message)
      : homeWithProblem(ports, c, { message, fields });

  switch (outcome.kind) {
    case "no-user":
      return ports.responses.redirect(ports.paths.login);
    case "field-missing":
      return again(
        messages.fieldMissing,
        ...missingFields(form, "current_password", "new_password"),
      );
    case "current-password-incorrect":
      ports.noteRefusal(c, "password change rejected");
      return again(messages.currentPasswordIncorrect, "current_password");
    case "new-passwords-differ":
      return again(messages.newPasswordsDiffer, "new_password", "confirm_password");
    case "new-password-too-short":
      return again(messages.newPasswordTooShort, "new_password");
    case "changed":
      return refresh(ports, c);
  }
}

/** Reloads the page of the form: htmx by a header, other clients by a redirect. */
function refresh(ports: WebPorts, c: Context<SignedIn>): Response {
  const { responses, postLoginLocation, paths } = ports;
  const page = pageOfForm(paths, c);
  const isHome = page !== undefined && paths.home !== null && pathOf(page) === paths.home;
  const cookies = isHome ? [passwordChangedNotice(c, paths.home)] : [];
  if (c.req.header("hx-request") === "true") {
    return responses.empty({ "HX-Refresh": "true" }, cookies);
  }
  return responses.redirect(page ?? locationFor(postLoginLocation, c.var.user), cookies);
}

/** Path and query of the page to reload. The path that shows a form problem has no GET. */
function pageOfForm(paths: Paths, c: Context): string | undefined {
  const page = ownPage(c);
  const isForm = page !== undefined && pathOf(page) === paths.password;
  return isForm ? (paths.home ?? undefined) : page;
}

/** Path and query of the page that sent the form, if it is on this host. */
function ownPage(c: Context): string | undefined {
  const referer = c.req.header("referer");
  if (referer === undefined || !isOfHost(referer, c.req.header("host"))) return undefined;
  const { pathname, search } = new URL(referer);
  const path = `${pathname}${search}`;
  return isLocalPath(path) ? path : undefined;
}
