import { messageOf } from "../../core/base/fault.ts";
import { isLocalPath } from "../../core/hosts/return-target.ts";
import type { Client } from "../../core/limits/requester.ts";
import { type RelyingParty, relyingPartyOf } from "../../core/passkeys/relying-party.ts";
import type { SignInOutcome } from "../../core/sign-in/sign-in.ts";
import { locationFor } from "../answers/location.ts";
import { noticeCookie, takeNotice } from "../answers/notice.ts";
import { type Answer, redirect } from "../answers/responses.ts";
import { acceptedTarget, otherHostOf, RETURN_TO, withReturnTo } from "../answers/return-to.ts";
import {
  deviceCookie,
  deviceTextIn,
  sessionCookies,
  sessionTokensIn,
} from "../answers/session-cookie.ts";
import { asksForFactor } from "../guards.ts";
import { isAccountPage } from "../paths.ts";
import type { FormEndpoint, WebPorts } from "../ports.ts";
import type { Form } from "../request/form.ts";
import { noteRefusal } from "../request/warnings.ts";
import { hostOf, parameterOf, type WebRequest } from "../request/web-request.ts";
import { AGAIN, asksToConfirm } from "../wrapped.ts";

export async function getLogin(ports: WebPorts, request: WebRequest): Promise<Answer> {
  const { options, paths, views } = ports;
  const returnTo = targetOf(ports, request, parameterOf(request, RETURN_TO));
  const { CurrentUser: user } = await views.helpers(request);
  const needsFactor = asksForFactor(request);
  const confirms =
    user !== undefined &&
    user.guest === undefined &&
    (needsFactor || asksToConfirm(ports, request));
  const continueTo = user && (returnTo ?? locationFor(options.postLoginLocation, user));
  const [asksCode, offersPasskeys] = await Promise.all([
    asksForCode(ports),
    offersPasskeySignIn(ports, request),
  ]);
  const { notice, cookies } = takeNotice(request, paths.login);
  const returnHost = otherHostOf(options, request, returnTo);
  const remembersDevices = asksCode && ports.rules.devices !== undefined;
  const offers = { asksCode, remembersDevices, offersPasskeys };
  const data = { returnTo, returnHost, continueTo, confirms, needsFactor, ...offers, notice };
  return views.page(request, "login", data, { cookies });
}

/** The return target, if it is accepted. A page of the account always is. */
function targetOf(
  { options, paths }: WebPorts,
  request: WebRequest,
  target: string | undefined,
): string | undefined {
  const isOwn = target !== undefined && isLocalPath(target) && isAccountPage(paths, target);
  return isOwn ? target : acceptedTarget(options, request, target);
}

/** Where a user who first has to turn on a second factor wanted to go. */
export const targetAfterFactor = (ports: WebPorts, request: WebRequest): string | undefined =>
  request.lacksFactor ? targetOf(ports, request, parameterOf(request, RETURN_TO)) : undefined;

/** The field is also shown if the store cannot be asked: without codes, it has no effect. */
async function asksForCode({ rules }: WebPorts): Promise<boolean> {
  try {
    return await rules.asksForCodes();
  } catch {
    return true;
  }
}

/** The site for which browsers keep passkeys, if they keep any there. */
export const partyOf = ({ options }: WebPorts, request: WebRequest): RelyingParty | undefined =>
  relyingPartyOf(options.hosts, hostOf(request));

/** Nothing is offered if the store cannot be asked: the password form works without it. */
async function offersPasskeySignIn(ports: WebPorts, request: WebRequest): Promise<boolean> {
  const { passkeys } = ports.rules;
  if (passkeys === undefined) return false;
  try {
    return (await passkeys.any()) && partyOf(ports, request) !== undefined;
  } catch (error) {
    ports.requests.log.warn({ reason: messageOf(error) }, "passkeys are not offered");
    return false;
  }
}

export const postLogin: FormEndpoint = async (ports, request, form) => {
  const client = await limitedClient(ports, request);
  const entered = { username: form("username"), password: form("password"), code: form("code") };
  const device = deviceTextIn(request);
  const remembersDevice = form("remember_device") !== "";
  const attempt = { ...client, ...entered, device, remembersDevice };
  return answerSignIn(ports, request, form, await ports.rules.signIn(attempt));
};

/**
 * The client of a sign-in, which the rate limit counts by address.
 *
 * @throws {Fault} `remote_address_unknown`, but the count of accounts comes before the limit.
 */
export async function limitedClient(
  { rules, proxies }: WebPorts,
  request: WebRequest,
): Promise<Client> {
  const isLimited = await rules.users.anyExists();
  const remoteAddress = isLimited ? proxies.remoteAddress(request) : proxies.addressOf(request);
  return { ...proxies.clientOf(request), remoteAddress };
}

/** The response to every way of signing in. */
export async function answerSignIn(
  ports: WebPorts,
  request: WebRequest,
  form: Form,
  outcome: SignInOutcome,
): Promise<Answer> {
  const { rules, options, paths } = ports;
  const target = targetOf(ports, request, form(RETURN_TO));
  const again = form(AGAIN) === "" ? "" : `&${AGAIN}=1`;
  switch (outcome.kind) {
    case "needs-setup":
      return redirect(withReturnTo(paths.setup, target));
    case "rate-limited":
    case "rejected":
      noteRefusal(ports, request, `sign-in ${outcome.kind}`);
      return redirect(withReturnTo(`${paths.login}?error=1${again}`, target));
    case "signed-in":
      // The new session replaces the one that this browser had, if it is of the same user.
      await rules.signOut(
        sessionTokensIn(request.header("cookie")),
        ports.proxies.clientOf(request),
        outcome.user.id,
      );
      return redirect(target ?? locationFor(options.postLoginLocation, outcome.user), [
        ...(again && paths.home ? [noticeCookie(request, paths.home, "isConfirmed")] : []),
        ...(outcome.device === undefined
          ? []
          : [deviceCookie(request, paths.login, outcome.device)]),
        ...sessionCookies(request, outcome.token, options.hosts.cookieDomain),
      ]);
  }
}
