import type { Client } from "../../core/base/client.ts";
import { DEVICE_LIFETIME_SECONDS } from "../../core/codes/remembered-devices.ts";
import { type RelyingParty, relyingPartyOf } from "../../core/passkeys/relying-party.ts";
import { signOut } from "../../core/sessions/sign-out.ts";
import { type SignInOutcome, signIn } from "../../core/sign-in/sign-in.ts";
import { locationFor } from "../answers/location.ts";
import { noticeCookie, takeNotice } from "../answers/notice.ts";
import { type Answer, redirect } from "../answers/responses.ts";
import {
  acceptedSignInTarget,
  otherHostOf,
  RETURN_TO,
  readReturnTarget,
  withReturnTo,
} from "../answers/return-to.ts";
import { deviceCookie, deviceTextIn, sessionTokensIn } from "../answers/session-cookie.ts";
import { AGAIN, asksForRecentSignIn } from "../recent-sign-in.ts";
import { asksForFactor, FACTOR } from "../refusals.ts";
import type { Form } from "../request/form.ts";
import { noteRefusal } from "../request/warnings.ts";
import { hostOf, parameterOf } from "../request/web-request.ts";
import type { Context } from "../services.ts";
import { enter } from "./redirects.ts";

/** The query parameter of a sign-in page to which a refused handoff leads. */
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
  const continueTo = user && (returnTo ?? locationFor(options.postLoginLocation, user));
  const [asksCode, hasPasskeys] = await Promise.all([
    // If the store cannot be asked: without codes, the field for one has no effect.
    rules.anyFactor.codes.read().catch(() => true),
    rules.anyFactor.passkeys.read().catch(() => false),
  ]);
  const offersPasskeys = hasPasskeys && options.signIn.passkeys && partyOf(context) !== undefined;
  const { notice, cookies } = takeNotice(request);
  const returnHost = otherHostOf(options, request, returnTo);
  const remembersDevices = asksCode && options.signIn.rememberDevice;
  const offers = { asksCode, remembersDevices, offersPasskeys };
  const handoffFailed = parameterOf(request, HANDOFF_FAILED) !== undefined;
  const data = {
    returnTo,
    returnHost,
    handoffFailed,
    continueTo,
    confirms,
    needsFactor,
    ...offers,
    notice,
  };
  return views.page(context, "login", data, { cookies });
}

/** The site for which browsers keep passkeys, if they keep any there. */
export const partyOf = ({ options, request }: Context): RelyingParty | undefined =>
  relyingPartyOf(options.hosts, hostOf(request));

export async function postLogin(context: Context, form: Form): Promise<Answer> {
  const { rules, options, request, warnOfProxy } = context;
  warnOfProxy(request);
  const client = await limitedClient(context);
  const entered = { username: form("username"), password: form("password"), code: form("code") };
  const isOffered = options.signIn.rememberDevice;
  const device = isOffered ? deviceTextIn(request) : undefined;
  const remembersDevice = isOffered && form("remember_device") !== "";
  const attempt = { ...client, ...entered, device, remembersDevice };
  return answerSignIn(context, form, await signIn(rules, attempt));
}

/**
 * The client of a sign-in, which the rate limit counts by address.
 *
 * @throws {Fault} `remote_address_unknown`, but the count of accounts comes before the limit.
 */
export async function limitedClient({ rules, proxies, request, client }: Context): Promise<Client> {
  const isLimited = await rules.memory.anyExists();
  return isLimited ? { ...client, remoteAddress: proxies.remoteAddress(request) } : client;
}

/** The response to every way of signing in. */
export async function answerSignIn(
  context: Context,
  form: Form,
  outcome: SignInOutcome,
): Promise<Answer> {
  const { rules, options, paths, request } = context;
  options.meter.signInDecided(outcome.kind);
  const target = acceptedSignInTarget(context, form(RETURN_TO));
  const again = form(AGAIN) === "" ? "" : `&${AGAIN}=1`;
  const factor = form(FACTOR) === "" ? "" : `&${FACTOR}=2`;
  switch (outcome.kind) {
    case "needs-setup":
      return redirect(withReturnTo(paths.setup, target));
    case "rate-limited":
    case "rejected":
      noteRefusal(context, request, `sign-in ${outcome.kind}`);
      return redirect(withReturnTo(`${paths.login}?error=1${again}${factor}`, target));
    case "signed-in": {
      const { user, device } = outcome;
      // The new session replaces the one that this browser had, if it is of the same user.
      const replaced = sessionTokensIn(request.header("cookie"));
      await signOut(rules, replaced, context.client, user.id);
      return enter(context, outcome, target, [
        ...(again && paths.home ? [noticeCookie(request, "isConfirmed")] : []),
        ...(device === undefined
          ? []
          : [deviceCookie(request, paths.login, device, DEVICE_LIFETIME_SECONDS)]),
      ]);
    }
  }
}
