import type { Context } from "hono";
import type { ChangePasswordForm, ChangePasswordOutcome } from "../core/change-password.ts";
import type { Client } from "../core/requester.ts";
import { isLocalPath } from "../core/return-target.ts";
import type { UserId } from "../core/store.ts";
import type { SignedIn } from "./guards.ts";
import { type HomePorts, homeWithProblem } from "./home.ts";
import { locationFor, type PostLoginLocation } from "./location.ts";
import { passwordChangedNotice } from "./notice.ts";
import type { FormProblem, PasswordField } from "./pages/page-data.ts";
import type { Paths } from "./paths.ts";
import { type Form, missingFields } from "./request/form.ts";
import type { NoteRefusal } from "./request/refusals.ts";
import { clientOf, type ProxyTrust } from "./request/remote-address.ts";
import { isOfHost } from "./request/same-origin.ts";
import { visitOf } from "./request/visit.ts";
import type { Responses } from "./responses.ts";

export interface AccountPorts extends HomePorts {
  readonly noteRefusal: NoteRefusal;
  readonly changePassword: (
    userId: UserId,
    form: ChangePasswordForm,
    client: Client,
  ) => Promise<ChangePasswordOutcome>;
  readonly proxies: ProxyTrust;
  readonly responses: Responses;
  readonly postLoginLocation: PostLoginLocation;
  readonly paths: Paths;
}

export async function postPassword(
  ports: AccountPorts,
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
  const { said } = ports.views.words(visitOf(c));
  const again = (
    message: string,
    ...fields: FormProblem<PasswordField>["fields"]
  ): Promise<Response> =>
    ports.paths.home === null
      ? ports.views.error(visitOf(c), 422, message)
      : homeWithProblem(ports, c, { message, fields });

  switch (outcome.kind) {
    case "no-user":
      return ports.responses.redirect(ports.paths.login);
    case "field-missing":
      return again(said.fieldMissing, ...missingFields(form, "current_password", "new_password"));
    case "current-password-incorrect":
      ports.noteRefusal(c, "password change rejected");
      return again(said.currentPasswordIncorrect, "current_password");
    case "new-passwords-differ":
      return again(said.newPasswordsDiffer, "new_password", "confirm_password");
    case "new-password-too-short":
      return again(said.newPasswordTooShort, "new_password");
    case "changed":
      return refresh(ports, c);
  }
}

/** Reloads the page that the form stands on: htmx is told to, any other client is led back there. */
function refresh(ports: AccountPorts, c: Context<SignedIn>): Response {
  const { responses, postLoginLocation, paths } = ports;
  const page = pageOfForm(paths, c);
  const isHome = paths.home !== null && pathOf(page) === paths.home;
  const cookies = isHome ? [passwordChangedNotice(c, paths.home)] : [];
  if (c.req.header("hx-request") === "true") {
    return responses.empty({ "HX-Refresh": "true" }, cookies);
  }
  return responses.redirect(page ?? locationFor(postLoginLocation, c.var.user), cookies);
}

/** Path and query. A form that came back with a problem stands where there is no page to reload. */
function pageOfForm(paths: Paths, c: Context): string | undefined {
  const page = ownPage(c);
  return pathOf(page) === paths.password ? (paths.home ?? undefined) : page;
}

const pathOf = (page: string | undefined): string | undefined => page?.split("?", 1)[0];

/** Path and query of the page the form was sent from, where that page is one of ours. */
function ownPage(c: Context): string | undefined {
  const referer = c.req.header("referer");
  if (referer === undefined || !isOfHost(referer, c.req.header("host"))) return undefined;
  const { pathname, search } = new URL(referer);
  const path = `${pathname}${search}`;
  return isLocalPath(path) ? path : undefined;
}
