import type { User } from "../../db/records.ts";
import { type Form, findMissingFields } from "../../http/form.ts";
import type { JsonFields } from "../../http/json-body.ts";
import { refuseNotAdmitted, refuseWithoutAccount } from "../../http/json-refusals.ts";
import { COOKIE_CHALLENGE, noteForgedToken, RETRY_AFTER } from "../../http/refusals.ts";
import { type Answer, respondJson } from "../../http/responses.ts";
import { createSessionCookies, readSession } from "../../http/session-cookie.ts";
import { isAdmitted } from "../../identity/authenticate-session.ts";
import type { Context, UserContext } from "../context.ts";
import { enterPasswordChange } from "../password/password-pages.ts";
import { endOthers, signOutBrowser } from "../sessions/sessions-pages.ts";
import { enterSignIn, noteSignIn, replaceSession } from "../sign-in/sign-in-pages.ts";
import { enterSignUp } from "../sign-up/sign-up-pages.ts";

// The rules of the pages decide; these functions only answer in JSON.

/** Lists what an app's own form can send to sign in. */
export const SIGN_IN_FIELDS = {
  username: "text",
  password: "text",
  code: "text",
  rememberDevice: "flag",
} as const satisfies JsonFields;

/** Lists what an app's own form can send to change the password. */
export const PASSWORD_FIELDS = {
  currentPassword: "text",
  newPassword: "text",
  confirmPassword: "text",
  endOthers: "flag",
} as const satisfies JsonFields;

/** Lists what an app's own form can send to ask for an account. */
export const SIGN_UP_FIELDS = { email: "text" } as const satisfies JsonFields;

type PasswordField = keyof typeof PASSWORD_FIELDS;

export async function postApiSignIn(context: Context, form: Form): Promise<Answer> {
  const { options, request } = context;
  const outcome = await enterSignIn(context, {
    username: form("username"),
    password: form("password"),
    code: form("code"),
    remembersDevice: form("rememberDevice") !== "",
  });
  noteSignIn(context, outcome);
  switch (outcome.kind) {
    case "needs-setup":
      return refuseWithoutAccount();
    case "rate-limited":
      return respondJson({ error: "rate_limited" }, 429, RETRY_AFTER);
    case "rejected":
      return respondJson({ error: "rejected" }, 401, COOKIE_CHALLENGE);
    case "signed-in": {
      const kept = await replaceSession(context, outcome);
      const session = createSessionCookies(request, outcome.token, options.hosts.cookieDomain);
      return respondUser(context, outcome.user, [...kept, ...session]);
    }
  }
}

/** Signs out. With `ended: false`, only the cookie is cleared yet. */
export async function postApiSignOut(context: Context): Promise<Answer> {
  const { outcome, cookies, headers } = await signOutBrowser(context);
  return respondJson({ user: null, ended: outcome === "ended" }, 200, headers, cookies);
}

export async function postApiPassword(context: UserContext, form: Form): Promise<Answer> {
  const { request, user } = context;
  const outcome = await enterPasswordChange(context, {
    currentPassword: form("currentPassword"),
    newPassword: form("newPassword"),
    confirmPassword: form("confirmPassword"),
  });
  const refuse = (error: string, ...fields: readonly PasswordField[]): Answer =>
    respondJson({ error, fields }, 422);
  switch (outcome.kind) {
    case "no-user":
      return refuseNotAdmitted(context, { kind: "needs-sign-in" }, request);
    case "field-missing":
      return refuse("field_missing", ...findMissingFields(form, "currentPassword", "newPassword"));
    case "current-password-incorrect":
      return refuse("current_password_incorrect", "currentPassword");
    case "new-passwords-differ":
      return refuse("new_passwords_differ", "newPassword", "confirmPassword");
    case "new-password-too-short":
      return refuse("new_password_too_short", "newPassword");
    case "changed":
      return respondUser(context, user, form("endOthers") === "" ? [] : await endOthers(context));
  }
}

/** Answers every address in the same way, whether an account has it or not. */
export async function postApiSignUp(context: Context, form: Form): Promise<Answer> {
  const refuse = (error: string): Answer => respondJson({ error, fields: ["email"] }, 422);
  switch (await enterSignUp(context, form("email"))) {
    case "needs-setup":
      return refuseWithoutAccount();
    case "off":
      return respondJson({ error: "not_found" }, 404);
    case "rate-limited":
      return respondJson({ error: "rate_limited" }, 429, RETRY_AFTER);
    case "email-invalid":
      return refuse("email_invalid");
    case "domain-refused":
      return refuse("domain_refused");
    case "queued":
      return respondJson({ sent: true }, 200);
  }
}

/** Says who is signed in, and until when. Guests are signed in too. */
export async function getApiSession(context: Context): Promise<Answer> {
  const { rules, request } = context;
  const admission = await rules.authenticate(request.header("cookie"));
  if (!isAdmitted(admission)) {
    noteForgedToken(context, admission, request);
    return respondJson({ user: null }, 200);
  }
  const { user } = admission;
  const [stored, profile] = await Promise.all([
    rules.store.users.find(user.id),
    rules.store.profiles.find(user.id),
  ]);
  const ends = [readSession(rules, request)?.expiresAt, stored?.endsAt?.getTime()];
  const until = new Date(Math.min(...ends.filter((end) => end !== undefined)));
  return respondJson({ user: describeUser(user, profile?.name), until }, 200);
}

/** Responds after the change is made, so the response does not fail with the query for the name. */
async function respondUser(
  { rules }: Context,
  user: User,
  cookies: readonly string[],
): Promise<Answer> {
  const profile = await rules.store.profiles.find(user.id).catch(() => undefined);
  return respondJson({ user: describeUser(user, profile?.name) }, 200, {}, cookies);
}

const describeUser = ({ groups = [], ...user }: User, name: string | undefined): object => ({
  ...user,
  groups,
  ...(name !== undefined && { name }),
});
