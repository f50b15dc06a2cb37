import type { User } from "../../db/records.ts";
import type { Form } from "../../http/form.ts";
import { resolveLocation } from "../../http/location.ts";
import { createNoticeCookie, takeNotice } from "../../http/notice.ts";
import { API, OIDC_INTERACTION } from "../../http/paths.ts";
import { AGAIN, asksForRecentSignIn, parseAgain } from "../../http/recent-sign-in.ts";
import { asksForFactor, FACTOR } from "../../http/refusals.ts";
import { type Answer, redirect } from "../../http/responses.ts";
import {
  acceptedSignInTarget,
  addReturnTo,
  findOtherTarget,
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
import { parseHostName } from "../../lib/host-name.ts";
import { orElse } from "../../lib/maybe-promise.ts";
import { isLocalPath } from "../../lib/return-target.ts";
import type { PageData, ShownApp } from "../../pages/page-data.ts";
import { findAppAtPath } from "../apps/app-at-path.ts";
import { toShownApp } from "../apps/app-icon-pages.ts";
import { DEVICE_LIFETIME_SECONDS } from "../codes/remembered-devices.ts";
import type { Context, SignInApp } from "../context.ts";
import { findFailedProvider, findFirstProvider, listProviders } from "../list-providers.ts";
import { moveGrants } from "../oidc/move-grants.ts";
import { redirectSignedIn } from "../redirects.ts";
import { getRelyingParty } from "../relying-party.ts";
import { signOut } from "../sessions/sign-out.ts";
import { type SignInAttempt, type SignInOutcome, signIn } from "./sign-in.ts";

/** A refused handoff redirects to a sign-in page with this query parameter. */
export const HANDOFF_FAILED = "handoff_failed";

export async function getLogin(context: Context): Promise<Answer> {
  const { options, views, request } = context;
  const returnTo = readReturnTarget(context);
  const helpers = await views.helpers(context);
  const { CurrentUser: user } = helpers;
  const { notice, cookies } = takeNotice(request);
  const first =
    user === undefined && notice === undefined ? findFirstProvider(context, returnTo) : undefined;
  if (first !== undefined) return redirect(first);
  const needsFactor = asksForFactor(request);
  const asksAgain = user !== undefined && (needsFactor || asksForRecentSignIn(context, request));
  const factors = asksAgain ? await findFactors(context, user) : undefined;
  const lacksFactor =
    user && needsFactor && factors === "none" ? listWaysToFactor(context, user) : undefined;
  const confirms = asksAgain && user.guest === undefined && lacksFactor === undefined;
  const otherTarget = findOtherTarget(options, request, returnTo);
  const toApp = await findSignInApp(context, returnTo);
  const app = toApp?.app ?? (await findAppAtHost(context, otherTarget));
  const data = {
    returnTo,
    returnHost: otherTarget?.host,
    handoffFailed: getParameter(request, HANDOFF_FAILED) !== undefined,
    continueTo: user && (returnTo ?? resolveLocation(options.postLoginLocation, user)),
    confirms,
    needsFactor,
    lacksFactor,
    ...(await listOffers(context, needsFactor, confirms ? factors : undefined)),
    providers: listProviders(context, returnTo, confirms ? `?${AGAIN}=1` : ""),
    failedWith: findFailedProvider(context),
    offersSignUp: options.signIn.signUp.mode !== "off",
    offersReset: options.mail !== undefined,
    cancelTo: confirms || lacksFactor ? findCancelTarget(context, user, returnTo) : undefined,
    notice,
    app,
    username: user === undefined ? toApp?.loginHint : undefined,
    again: parseAgain(getParameter(request, AGAIN)),
  };
  return views.page(context, "login", data, {
    cookies,
    returning: toApp?.returning ?? [],
    helpers,
  });
}

/** Names the factors of an account. */
type AccountFactors = "none" | "codes" | "passkeys" | "codes-and-passkeys";

/** Returns the factors of the user, or `undefined` if the queries fail. */
async function findFactors({ rules }: Context, user: User): Promise<AccountFactors | undefined> {
  if (user.guest === true) return "none";
  try {
    const [codes, passkeys] = await Promise.all([
      rules.store.codes.find(user.id),
      rules.store.passkeys.listOf(user.id),
    ]);
    if (codes === undefined) return passkeys.length === 0 ? "none" : "passkeys";
    return passkeys.length === 0 ? "codes" : "codes-and-passkeys";
  } catch {
    return undefined;
  }
}

type LoginData = PageData["login"];

/** Lists where a user without a second factor can get one. A guest can have none. */
function listWaysToFactor(context: Context, user: User): LoginData["lacksFactor"] {
  const { options, paths } = context;
  const page = user.guest === true ? undefined : paths.account?.signInMethods;
  const methods = page && addReturnTo(page, readReturnTarget(context));
  const { signIn } = options;
  return {
    passkeys: signIn.passkeys && getRelyingParty(context) !== undefined ? methods : undefined,
    codes: signIn.codes ? methods : undefined,
  };
}

type Offers = Pick<
  LoginData,
  "asksCode" | "remembersDevices" | "offersPasskeys" | "needsPasskey" | "needsCode"
>;

/**
 * Lists what the page offers: to a visitor what any account uses, and to a user who confirms what
 * this account uses.
 */
async function listOffers(
  context: Context,
  needsFactor: boolean,
  factors: AccountFactors | undefined,
): Promise<Offers> {
  const { rules, options, request } = context;
  // If the query fails, the page shows the field. For accounts without codes, the field has no
  // effect.
  const readingCodes = orElse(rules.anyFactor.codes.read(), true);
  const readingPasskeys = orElse(rules.anyFactor.passkeys.read(), false);
  const anyCodes = await readingCodes;
  const anyPasskeys = await readingPasskeys;
  const asksCode = factors === undefined ? anyCodes : factors.startsWith("codes");
  const hasPasskeys = factors === undefined ? anyPasskeys : factors.endsWith("passkeys");
  const offersPasskeys =
    hasPasskeys && options.signIn.passkeys && getRelyingParty(context) !== undefined;
  const isRemembered = options.signIn.rememberDevice && readDeviceCookie(request) !== undefined;
  return {
    asksCode,
    remembersDevices: asksCode && options.signIn.rememberDevice,
    offersPasskeys,
    needsPasskey: needsFactor && offersPasskeys && factors === "passkeys",
    needsCode: asksCode && factors !== undefined && !isRemembered,
  };
}

/**
 * Returns where a user goes who does not confirm: back to the page of the account, or else to the
 * first page. A step of a sign-in to an app would ask for the same again.
 */
function findCancelTarget(
  { options, paths }: Context,
  user: User | undefined,
  returnTo: string | undefined,
): string | undefined {
  if (user === undefined) return undefined;
  if (returnTo !== undefined && user.guest === undefined && isLocalPath(returnTo)) {
    // Resolved as browsers do, because `..` could lead out of the account.
    const { pathname } = new URL(returnTo, "http://localhost");
    if (pathname.startsWith(`${paths.base}/account/`)) return returnTo;
  }
  return paths.launcher ?? resolveLocation(options.postLoginLocation, user);
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

/**
 * Finds the app at the host to which the sign-in returns. Its name tells visitors no more than its
 * host. Without an answer of the store, the page names the host.
 */
async function findAppAtHost(
  { rules, options, paths, oidc }: Context,
  target: URL | undefined,
): Promise<ShownApp | undefined> {
  const host = target && parseHostName(target.host);
  // Without these pages, no route serves icons.
  if (!host || !(options.people || oidc !== undefined)) return undefined;
  try {
    const apps = await rules.appDirectory.read();
    const found = apps.listByHost(host);
    const app = found.length > 1 ? findAppAtPath(found, target.pathname) : found[0];
    return app && toShownApp(app, apps, paths.base);
  } catch {
    return undefined;
  }
}

export async function postLogin(context: Context, form: Form): Promise<Answer> {
  const entered = { username: form("username"), password: form("password"), code: form("code") };
  const remembersDevice = form("remember_device") !== "";
  return respondToSignIn(
    context,
    form,
    await enterSignIn(context, { ...entered, remembersDevice }),
  );
}

type EnteredSignIn = Pick<
  Required<SignInAttempt>,
  "username" | "password" | "code" | "remembersDevice"
>;

/** Signs in with what a person entered in a form. */
export async function enterSignIn(
  context: Context,
  entered: EnteredSignIn,
): Promise<SignInOutcome> {
  const { rules, options, request, warnOfProxy } = context;
  warnOfProxy(request);
  const client = await getLimitedClient(context);
  const isOffered = options.signIn.rememberDevice;
  const device = isOffered ? readDeviceCookie(request) : undefined;
  const remembersDevice = isOffered && entered.remembersDevice;
  return signIn(rules, { ...client, ...entered, device, remembersDevice });
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
  const { paths } = context;
  noteSignIn(context, outcome);
  const target = acceptedSignInTarget(context, form(RETURN_TO));
  const again = form(AGAIN) === "" ? "" : `&${AGAIN}=${parseAgain(form(AGAIN)) ?? "1"}`;
  const factor = form(FACTOR) === "" ? "" : `&${FACTOR}=2`;
  switch (outcome.kind) {
    case "needs-setup":
      return redirect(addReturnTo(paths.setup, target));
    case "rate-limited":
    case "rejected":
      return redirect(addReturnTo(`${paths.login}?error=1${again}${factor}`, target));
    case "signed-in": {
      const kept = await replaceSession(context, outcome);
      return redirectSignedIn(context, outcome, target, [
        // The notice asks the user to repeat an action of the account page.
        ...(again === `&${AGAIN}=1` && paths.home
          ? [createNoticeCookie(context.request, "isConfirmed")]
          : []),
        ...kept,
      ]);
    }
  }
}

/** Counts a sign-in, and logs a refused one. */
export function noteSignIn(context: Context, { kind }: SignInOutcome): void {
  context.options.meter.countSignIn(kind);
  if (kind === "rate-limited" || kind === "rejected") {
    logRefusal(context, context.request, `sign-in ${kind}`);
  }
}

/**
 * Makes the new session replace the browser's previous one if it belongs to the same user. Returns
 * the Set-Cookie lines of a device that is now remembered.
 */
export async function replaceSession(
  { rules, options, paths, request, client }: Context,
  { user, token, device }: Extract<SignInOutcome, { readonly kind: "signed-in" }>,
): Promise<readonly string[]> {
  const replaced = readSessionTokens(request.header("cookie"));
  await moveGrants(rules, replaced, token);
  await signOut(rules, replaced, client, user.id);
  if (device === undefined) return [];
  // Browsers send a cookie only below its path, and the app's own form has another path.
  const signIns = options.api ? [paths.login, paths.base + API.signIn] : [paths.login];
  return signIns.map((path) => createDeviceCookie(request, path, device, DEVICE_LIFETIME_SECONDS));
}
