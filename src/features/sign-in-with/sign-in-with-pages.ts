import type { Form } from "../../http/form.ts";
import { createNoticeCookie } from "../../http/notice.ts";
import { AGAIN, parseAgain } from "../../http/recent-sign-in.ts";
import { type Answer, redirect } from "../../http/responses.ts";
import { acceptedSignInTarget, readReturnTarget } from "../../http/return-to.ts";
import { readSession, readSessionTokens } from "../../http/session-cookie.ts";
import { logRefusal } from "../../http/warnings.ts";
import { getParameter } from "../../http/web-request.ts";
import { type Purpose, sealContent } from "../../identity/provider-attempt.ts";
import { findProvider, type Provider, type ProviderIdentity } from "../../identity/providers.ts";
import {
  formatCookie,
  leadOnToProvider,
  logFailure,
  readAttempt,
  redirectUriOf,
  respondFailed,
  tryBegin,
  withPath,
} from "../begin-at-provider.ts";
import type { Context, UserContext } from "../context.ts";
import { moveGrants } from "../oidc/move-grants.ts";
import { redirectSignedIn, redirectToAccount } from "../redirects.ts";
import { signOut } from "../sessions/sign-out.ts";
import { getLimitedClient } from "../sign-in/sign-in-pages.ts";
import { signUpWith } from "../sign-up/sign-up.ts";
import { joinWith } from "./join-with.ts";
import {
  finishWithCode,
  linkIdentity,
  type SignInWithOutcome,
  signInWith,
  unlinkIdentity,
} from "./sign-in-with.ts";

type SignedIn = Extract<SignInWithOutcome, { readonly kind: "signed-in" }>;

/** Answers below the path of all providers: the begin, the way back, and the one-time code. */
export function getWith(context: Context): Promise<Answer> {
  const [name = "", step] = context.request.path.slice(withPath(context).length).split("/");
  if (name === "code" && step === undefined) return showCode(context);
  const provider = findProvider(context.options.signIn.with, name);
  if (provider === undefined) return context.views.error(context, 404, "noSuchPage");
  if (step === undefined) return begin(context, provider);
  return step === "callback"
    ? finish(context, provider)
    : context.views.error(context, 404, "noSuchPage");
}

/** Sends the browser to the provider. */
async function begin(context: Context, provider: Provider): Promise<Answer> {
  const { rules, paths, request } = context;
  if (!(await rules.credentialCache.anyExists())) return redirect(paths.setup);
  const isAgain = parseAgain(getParameter(request, AGAIN)) !== undefined;
  const purpose: Purpose = { kind: "sign-in", returnTo: readReturnTarget(context) };
  const begun = await tryBegin(context, provider, purpose, isAgain ? "again" : "usual");
  return begun === undefined
    ? respondFailed(context, provider, purpose)
    : redirect(begun.url, [begun.cookie]);
}

/** Takes the browser back from the provider. */
async function finish(context: Context, provider: Provider): Promise<Answer> {
  const { rules, views, request } = context;
  const attempt = readAttempt(context)?.attempt;
  if (attempt === undefined || attempt.provider !== provider.name) {
    logRefusal(context, request, "an answer of a provider was not asked for here");
    return respondFailed(context, provider, undefined);
  }
  const { checks, purpose } = attempt;
  const client = await getLimitedClient(context);
  if ((await rules.providerLimiter.attempt(client.remoteAddress)) === "denied") {
    logRefusal(context, request, "sign-in with a provider rate-limited");
    return respondFailed(context, provider, purpose);
  }
  let identity: ProviderIdentity;
  try {
    const redirectUri = redirectUriOf(context, provider);
    const url = new URL(`${redirectUri}${request.query}`);
    identity = await rules.getProviderClient(provider.name).finish(url, { ...checks, redirectUri });
  } catch (error) {
    logFailure(context, provider, error);
    return respondFailed(context, provider, purpose);
  }
  switch (purpose.kind) {
    case "sign-in":
      return finishSignIn(context, provider, identity, purpose.returnTo);
    case "link":
      return finishLink(context, provider, identity, purpose);
    case "invitation": {
      const outcome = await joinWith(rules, provider, identity, purpose, {
        client,
        locale: views.locale(request),
      });
      return respondJoined(context, outcome, purpose.token);
    }
  }
}

async function finishSignIn(
  context: Context,
  provider: Provider,
  identity: ProviderIdentity,
  returnTo: string | undefined,
): Promise<Answer> {
  const { rules, views, client } = context;
  const outcome = await signInWith(rules, provider, identity, client);
  switch (outcome.kind) {
    case "not-in-group":
      return views.error(context, 403, "identityNotInGroup");
    case "unknown":
      return respondUnknown(context, provider, identity);
    case "code-needed": {
      const text = sealContent(rules, { step: { userId: outcome.userId, returnTo } });
      return redirect(`${withPath(context)}code`, [formatCookie(context, text)]);
    }
    case "signed-in":
      return respondSignedIn(context, outcome, returnTo);
  }
}

/** Registers a person whom nobody here knows, if people can register. */
async function respondUnknown(
  context: Context,
  provider: Provider,
  identity: ProviderIdentity,
): Promise<Answer> {
  const { rules, views, paths, request, client } = context;
  const locale = views.locale(request);
  const outcome = await signUpWith(rules, rules.signUp, provider, identity, { client, locale });
  switch (outcome.kind) {
    case "off":
      logRefusal(context, request, "nobody here is linked with the account of the provider");
      return views.error(context, 403, "identityUnknown");
    case "not-in-group":
      return views.error(context, 403, "identityNotInGroup");
    case "domain-refused":
      return views.error(context, 403, "domainRefused");
    case "too-many":
      return views.error(context, 503, "tooManySignUps");
    // Somebody was faster in the same moment. The next sign-in succeeds, or says more.
    case "gone":
    case "username-taken":
    case "identity-taken":
      return respondFailed(context, provider, undefined);
    case "waiting":
      return redirect(paths.login, [createNoticeCookie(request, "signUpWaits")]);
    case "entered":
      return redirectSignedIn(context, outcome, undefined, [formatCookie(context, "")]);
  }
}

/** The new session replaces the browser's previous one if it belongs to the same user. */
async function respondSignedIn(
  context: Context,
  outcome: SignedIn,
  returnTo: string | undefined,
): Promise<Answer> {
  const { rules, request, client, options } = context;
  options.meter.countSignIn("signed-in");
  const replaced = readSessionTokens(request.header("cookie"));
  await moveGrants(rules, replaced, outcome.token);
  await signOut(rules, replaced, client, outcome.user.id);
  const target = acceptedSignInTarget(context, returnTo);
  return redirectSignedIn(context, outcome, target, [formatCookie(context, "")]);
}

async function finishLink(
  context: Context,
  provider: Provider,
  identity: ProviderIdentity,
  purpose: Extract<Purpose, { readonly kind: "link" }>,
): Promise<Answer> {
  const { rules, views, client, paths } = context;
  // Only the browser that began may end it: the account must still be signed in here.
  const { CurrentUser: user } = await views.helpers(context);
  if (user === undefined || user.id !== purpose.userId) return redirect(paths.login);
  switch (await linkIdentity(rules, provider, identity, purpose, client)) {
    case "no-user":
      return redirect(paths.login);
    case "not-in-group":
      return views.error(context, 403, "identityNotInGroup");
    case "taken":
      return views.error(context, 422, "identityTaken");
    case "too-many":
      return views.error(context, 422, "tooMany");
    case "added": {
      const cookies = [formatCookie(context, "")];
      const withUser: UserContext = { ...context, user, lacksFactor: false };
      return redirectToAccount("signInMethods", withUser, { notice: "identityIsAdded", cookies });
    }
  }
}

function respondJoined(
  context: Context,
  outcome: Awaited<ReturnType<typeof joinWith>>,
  token: string,
): Answer | Promise<Answer> {
  const { views, paths, request } = context;
  switch (outcome.kind) {
    case "gone":
      return views.error(context, 404, "linkGone");
    case "not-in-group":
      return views.error(context, 403, "identityNotInGroup");
    case "identity-taken":
      return views.error(context, 422, "identityTaken");
    case "username-invalid":
    case "username-taken":
      return redirect(`${paths.link}${token}`, [createNoticeCookie(request, "chooseUsername")]);
    case "entered":
      return redirectSignedIn(context, outcome, undefined, [formatCookie(context, "")]);
  }
}

/** Shows the page for the one-time code of an account that has come back from its provider. */
function showCode(context: Context): Promise<Answer> {
  const step = readAttempt(context)?.step;
  return step === undefined
    ? Promise.resolve(redirect(context.paths.login))
    : context.views.page(context, "codeStep", {});
}

export async function postCode(context: Context, form: Form): Promise<Answer> {
  const { rules, paths, request } = context;
  const step = readAttempt(context)?.step;
  if (step === undefined) return redirect(paths.login);
  const client = await getLimitedClient(context);
  const outcome = await finishWithCode(rules, step.userId, form("code"), client);
  switch (outcome.kind) {
    case "gone":
      return redirect(paths.login, [formatCookie(context, "")]);
    case "rejected":
      logRefusal(context, request, "one-time code rejected");
      return redirect(`${withPath(context)}code?error=1`);
    case "signed-in":
      return respondSignedIn(context, outcome, step.returnTo);
  }
}

/** Begins to link an account of a provider with the account of the user. */
export function postLinkIdentity(context: UserContext, form: Form): Promise<Answer> {
  const { rules, request, user } = context;
  const { sessionsFrom = 0 } = readSession(rules, request) ?? {};
  return leadOnToProvider(context, form("provider"), {
    kind: "link",
    userId: user.id,
    sessionsFrom,
  });
}

export async function postUnlinkIdentity(context: UserContext, form: Form): Promise<Answer> {
  const { rules, views, user, client } = context;
  switch (await unlinkIdentity(rules, user, form("identity"), client)) {
    case "only-way-in":
      return views.error(context, 422, "identityOnlyWayIn");
    case "no-identity":
      return redirectToAccount("signInMethods", context);
    case "removed":
      return redirectToAccount("signInMethods", context, { notice: "identityIsRemoved" });
  }
}
