import type { Form } from "../../http/form.ts";
import { resolveLocation } from "../../http/location.ts";
import { createNoticeCookie, takeNotice } from "../../http/notice.ts";
import { OIDC_INTERACTION } from "../../http/paths.ts";
import { AGAIN, asksForRecentSignIn, parseAgain } from "../../http/recent-sign-in.ts";
import { asksForFactor, FACTOR } from "../../http/refusals.ts";
import { type Answer, redirect } from "../../http/responses.ts";
import {
  acceptedSignInTarget,
  addReturnTo,
  findOtherHost,
  RETURN_TO,
  readReturnTarget,
} from "../../http/return-to.ts";
import {
  createDeviceCookie,
  readDeviceCookie,
  readSessionTokens,
} from "../../http/session-cookie.ts";
import { logRefusal } from "../../http/warnings.ts";
import { getParameter } from "../../http/web-request.ts";
import type { Client } from "../../lib/client.ts";
import { DEVICE_LIFETIME_SECONDS } from "../codes/remembered-devices.ts";
import type { Context, SignInApp } from "../context.ts";
import { moveGrants } from "../oidc/move-grants.ts";
import { redirectSignedIn } from "../redirects.ts";
import { getRelyingParty } from "../relying-party.ts";
import { signOut } from "../sessions/sign-out.ts";
import { type SignInOutcome, signIn } from "./sign-in.ts";

/** A refused handoff redirects to a sign-in page with this query parameter. */
export const HANDOFF_FAILED = "handoff_failed";

export async function getLogin(context: Context): Promise<Answer> {
  const { rules, options, views, request } = context;
  const returnTo = readReturnTarget(context);
  const { CurrentUser: user } = await views.helpers(context);
  const needsFactor = asksForFactor(request);
  const confirms =
    user !== undefined &&
    user.guest === undefined &&
    (needsFactor || asksForRecentSignIn(context, request));
  const continueTo = user && (returnTo ?? resolveLocation(options.postLoginLocation, user));
  const [asksCode, hasPasskeys] = await Promise.all([
    // If the query fails, the page shows the field. For accounts without codes, the field has no
    // effect.
    rules.anyFactor.codes.read().catch(() => true),
    rules.anyFactor.passkeys.read().catch(() => false),
  ]);
  const offersPasskeys =
    hasPasskeys && options.signIn.passkeys && getRelyingParty(context) !== undefined;
  const { notice, cookies } = takeNotice(request);
  const returnHost = findOtherHost(options, request, returnTo);
  const remembersDevices = asksCode && options.signIn.rememberDevice;
  const offers = { asksCode, remembersDevices, offersPasskeys };
  const toApp = await findSignInApp(context, returnTo);
  const handoffFailed = getParameter(request, HANDOFF_FAILED) !== undefined;
  const data = {
    returnTo,
    returnHost,
    handoffFailed,
    continueTo,
    confirms,
    needsFactor,
    ...offers,
    notice,
    app: toApp?.app,
    username: user === undefined ? toApp?.loginHint : undefined,
    again: parseAgain(getParameter(request, AGAIN)),
  };
  return views.page(context, "login", data, { cookies, returning: toApp?.returning ?? [] });
}

/** Finds the app that the sign-in is for, if it returns to a sign-in to an app. */
async function findSignInApp(
  context: Context,
  returnTo: string | undefined,
): Promise<SignInApp | undefined> {
  const { oidc, paths } = context;
  if (oidc === undefined || returnTo?.startsWith(paths.base + OIDC_INTERACTION) !== true) {
    return undefined;
  }
  return (await oidc()).findSignInApp(context, returnTo);
}

export async function postLogin(context: Context, form: Form): Promise<Answer> {
  const { rules, options, request, warnOfProxy } = context;
  warnOfProxy(request);
  const client = await getLimitedClient(context);
  const entered = { username: form("username"), password: form("password"), code: form("code") };
  const isOffered = options.signIn.rememberDevice;
  const device = isOffered ? readDeviceCookie(request) : undefined;
  const remembersDevice = isOffered && form("remember_device") !== "";
  const attempt = { ...client, ...entered, device, remembersDevice };
  return respondToSignIn(context, form, await signIn(rules, attempt));
}

/**
 * Returns the client of a sign-in. The rate limit counts by its address.
 *
 * @throws {Fault} `remote_address_unknown` if an account exists, because only then a limit
 *   applies.
 */
export async function getLimitedClient({
  rules,
  proxies,
  request,
  client,
}: Context): Promise<Client> {
  const isLimited = await rules.credentialCache.anyExists();
  return isLimited ? { ...client, remoteAddress: proxies.getRemoteAddress(request) } : client;
}

/** Responds to the outcome of every way of signing in. */
export async function respondToSignIn(
  context: Context,
  form: Form,
  outcome: SignInOutcome,
): Promise<Answer> {
  const { rules, options, paths, request } = context;
  options.meter.countSignIn(outcome.kind);
  const target = acceptedSignInTarget(context, form(RETURN_TO));
  const again = form(AGAIN) === "" ? "" : `&${AGAIN}=${parseAgain(form(AGAIN)) ?? "1"}`;
  const factor = form(FACTOR) === "" ? "" : `&${FACTOR}=2`;
  switch (outcome.kind) {
    case "needs-setup":
      return redirect(addReturnTo(paths.setup, target));
    case "rate-limited":
    case "rejected":
      logRefusal(context, request, `sign-in ${outcome.kind}`);
      return redirect(addReturnTo(`${paths.login}?error=1${again}${factor}`, target));
    case "signed-in": {
      const { user, device } = outcome;
      // The new session replaces the browser's previous session if it belongs to the same user.
      const replaced = readSessionTokens(request.header("cookie"));
      await moveGrants(rules, replaced, outcome.token);
      await signOut(rules, replaced, context.client, user.id);
      return redirectSignedIn(context, outcome, target, [
        // The notice asks the user to repeat an action of the account page.
        ...(again === `&${AGAIN}=1` && paths.home
          ? [createNoticeCookie(request, "isConfirmed")]
          : []),
        ...(device === undefined
          ? []
          : [createDeviceCookie(request, paths.login, device, DEVICE_LIFETIME_SECONDS)]),
      ]);
    }
  }
}
