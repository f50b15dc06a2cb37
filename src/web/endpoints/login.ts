import type { Client } from "../../core/base/client.ts";
import { DEVICE_LIFETIME_SECONDS } from "../../core/codes/remembered-devices.ts";
import { isLocalPath } from "../../core/hosts/return-target.ts";
import { type RelyingParty, relyingPartyOf } from "../../core/passkeys/relying-party.ts";
import { signOut } from "../../core/sessions/sign-out.ts";
import { type SignInOutcome, signIn } from "../../core/sign-in/sign-in.ts";
import { locationFor } from "../answers/location.ts";
import { noticeCookie, takeNotice } from "../answers/notice.ts";
import { type Answer, redirect } from "../answers/responses.ts";
import { acceptedTarget, otherHostOf, RETURN_TO, withReturnTo } from "../answers/return-to.ts";
import { deviceCookie, deviceTextIn, sessionTokensIn } from "../answers/session-cookie.ts";
import { asksForFactor, FACTOR } from "../guards.ts";
import { isAccountPage } from "../paths.ts";
import type { FormEndpoint, Visit } from "../ports.ts";
import type { Form } from "../request/form.ts";
import { noteRefusal } from "../request/warnings.ts";
import { hostOf, parameterOf } from "../request/web-request.ts";
import { AGAIN, asksToConfirm } from "../wrapped.ts";
import { enter } from "./redirects.ts";

/** The query parameter of a sign-in page to which a refused handoff leads. */
export const HANDOFF_FAILED = "handoff_failed";

export async function getLogin(visit: Visit): Promise<Answer> {
  const { rules, parts, options, views, request } = visit;
  const returnTo = askedTarget(visit);
  const { CurrentUser: user } = await views.helpers(request);
  const needsFactor = asksForFactor(request);
  const confirms =
    user !== undefined &&
    user.guest === undefined &&
    (needsFactor || asksToConfirm(visit, request));
  const continueTo = user && (returnTo ?? locationFor(options.postLoginLocation, user));
  const [asksCode, hasPasskeys] = await Promise.all([
    // If the store cannot be asked: without codes, the field for one has no effect.
    rules.anyFactor.codes.read().catch(() => true),
    rules.anyFactor.passkeys.read().catch(() => false),
  ]);
  const offersPasskeys =
    hasPasskeys && parts.passkeys !== undefined && partyOf(visit) !== undefined;
  const { notice, cookies } = takeNotice(request);
  const returnHost = otherHostOf(options, request, returnTo);
  const remembersDevices = asksCode && parts.devices !== undefined;
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
  return views.page(request, "login", data, { cookies });
}

/** The return target, if it is accepted. A page of the account always is. */
function targetOf(
  { options, paths, request }: Visit,
  target: string | undefined,
): string | undefined {
  const isOwn = target !== undefined && isLocalPath(target) && isAccountPage(paths, target);
  return isOwn ? target : acceptedTarget(options, request, target);
}

/** The return target in the query: of a sign-in, or of what turns on a second factor. */
export const askedTarget = (visit: Visit): string | undefined =>
  targetOf(visit, parameterOf(visit.request, RETURN_TO));

/** The site for which browsers keep passkeys, if they keep any there. */
export const partyOf = ({ options, request }: Visit): RelyingParty | undefined =>
  relyingPartyOf(options.hosts, hostOf(request));

export const postLogin: FormEndpoint = async (visit, form) => {
  const client = await limitedClient(visit);
  const entered = { username: form("username"), password: form("password"), code: form("code") };
  const isOffered = visit.parts.devices !== undefined;
  const device = isOffered ? deviceTextIn(visit.request) : undefined;
  const remembersDevice = isOffered && form("remember_device") !== "";
  const attempt = { ...client, ...entered, device, remembersDevice };
  return answerSignIn(visit, form, await signIn(visit.rules, attempt));
};

/**
 * The client of a sign-in, which the rate limit counts by address.
 *
 * @throws {Fault} `remote_address_unknown`, but the count of accounts comes before the limit.
 */
export async function limitedClient({ rules, proxies, request, client }: Visit): Promise<Client> {
  const isLimited = await rules.memory.anyExists();
  return isLimited ? { ...client, remoteAddress: proxies.remoteAddress(request) } : client;
}

/** The response to every way of signing in. */
export async function answerSignIn(
  visit: Visit,
  form: Form,
  outcome: SignInOutcome,
): Promise<Answer> {
  const { rules, options, paths, request } = visit;
  options.meter.signInDecided(outcome.kind);
  const target = targetOf(visit, form(RETURN_TO));
  const again = form(AGAIN) === "" ? "" : `&${AGAIN}=1`;
  const factor = form(FACTOR) === "" ? "" : `&${FACTOR}=2`;
  switch (outcome.kind) {
    case "needs-setup":
      return redirect(withReturnTo(paths.setup, target));
    case "rate-limited":
    case "rejected":
      noteRefusal(visit, request, `sign-in ${outcome.kind}`);
      return redirect(withReturnTo(`${paths.login}?error=1${again}${factor}`, target));
    case "signed-in": {
      const { user, device } = outcome;
      // The new session replaces the one that this browser had, if it is of the same user.
      const replaced = sessionTokensIn(request.header("cookie"));
      await signOut(rules, replaced, visit.client, user.id);
      return enter(visit, outcome, target, [
        ...(again && paths.home ? [noticeCookie(request, "isConfirmed")] : []),
        ...(device === undefined
          ? []
          : [deviceCookie(request, paths.login, device, DEVICE_LIFETIME_SECONDS)]),
      ]);
    }
  }
}
