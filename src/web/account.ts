import type { Context } from "hono";
import type { ChangePasswordForm, ChangePasswordOutcome } from "../core/change-password.ts";
import { isLocalPath } from "../core/local-path.ts";
import type { UserId } from "../core/store.ts";
import type { Form } from "./form.ts";
import type { SignedIn } from "./guards.ts";
import { locationFor, type PostLoginLocation } from "./location.ts";
import type { Paths } from "./paths.ts";
import type { Responses } from "./responses.ts";
import { isOfHost } from "./same-origin.ts";
import type { Views } from "./views.ts";
import { visitOf } from "./visit.ts";

export interface AccountPorts {
  readonly changePassword: (
    userId: UserId,
    form: ChangePasswordForm,
  ) => Promise<ChangePasswordOutcome>;
  readonly responses: Responses;
  readonly views: Views;
  readonly postLoginLocation: PostLoginLocation;
  readonly paths: Paths;
}

export async function postPassword(
  ports: AccountPorts,
  c: Context<SignedIn>,
  form: Form,
): Promise<Response> {
  const outcome = await ports.changePassword(c.var.user.id, {
    currentPassword: form("current_password"),
    newPassword: form("new_password"),
    confirmPassword: form("confirm_password"),
  });
  const refused = (message: string): Promise<Response> =>
    ports.views.error(visitOf(c), 422, message);
  switch (outcome.kind) {
    case "no-user":
      return ports.responses.redirect(ports.paths.login);
    case "field-missing":
      return refused("all fields are required");
    case "current-password-incorrect":
      return refused("current password is incorrect");
    case "new-passwords-differ":
      return refused("new passwords do not match");
    case "new-password-too-short":
      return refused("password must be at least 8 characters");
    case "changed":
      return refresh(ports, c);
  }
}

/** Reloads the page that the form stands on: htmx is told to, any other client is led back there. */
function refresh(ports: AccountPorts, c: Context<SignedIn>): Response {
  const { responses, postLoginLocation } = ports;
  if (c.req.header("hx-request") === "true") return responses.empty({ "HX-Refresh": "true" });
  return responses.redirect(ownPage(c) ?? locationFor(postLoginLocation, c.var.user));
}

/** Path and query of the page the form was sent from, where that page is one of ours. */
function ownPage(c: Context): string | undefined {
  const referer = c.req.header("referer");
  if (referer === undefined || !isOfHost(referer, c.req.header("host"))) return undefined;
  const { pathname, search } = new URL(referer);
  const path = `${pathname}${search}`;
  return isLocalPath(path) ? path : undefined;
}
