import type { User } from "./db/records.ts";
import type { Context, Services, UserContext } from "./features/context.ts";
import { answerSignInMethodForm } from "./features/sign-in-methods/sign-in-methods-pages.ts";
import { type Form, type FormProblem, readForm, readUpload } from "./http/form.ts";
import { findAppPage, findPeoplePage } from "./http/form-page.ts";
import { type JsonProblem, readJson } from "./http/json-body.ts";
import {
  createJsonRefusals,
  type Refusals,
  refuseGuest,
  refuseNotAdmitted,
  refuseWithoutAccount,
  refuseWrongTypes,
} from "./http/json-refusals.ts";
import { isSentByLinkPage } from "./http/link-page-cookie.ts";
import { createNoticeCookie } from "./http/notice.ts";
import { HANDOFF } from "./http/paths.ts";
import { askForRecentSignIn, hasRecentSignIn } from "./http/recent-sign-in.ts";
import { findSignInPath, refuseExcluded, refuseSignedOut } from "./http/refusals.ts";
import { answerWithId } from "./http/request-id.ts";
import { getRequestKind } from "./http/request-kind.ts";
import { type Answer, redirect, withHeader } from "./http/responses.ts";
import { addReturnTo, getHandoffRoot, readReturnTarget } from "./http/return-to.ts";
import { isCrossSite } from "./http/same-origin.ts";
import { getReadableHost, type Viewer } from "./http/views.ts";
import { logRefusal } from "./http/warnings.ts";
import { getHost, type WebRequest } from "./http/web-request.ts";
import { isAdmitted, type NotAdmitted } from "./identity/authenticate-session.ts";
import { findAdmin } from "./identity/groups.ts";
import { allowsAnyHost, judgeHost } from "./lib/allowed-hosts.ts";
import { Fault, isClientGone, toError } from "./lib/fault.ts";
import { isLoopbackHost } from "./lib/loopback.ts";
import type { MaybePromise } from "./lib/maybe-promise.ts";
import type { CheckedRoute, PathRoutes, ProxyRoute, RouteTable, UserChecks } from "./routes.ts";

/**
 * Answers every request. A failure returns the error page. A response to a reverse proxy needs no
 * promise and no request ID where possible, because every request to an app waits for it.
 */
export function handle(
  services: Services,
  routes: RouteTable,
  request: WebRequest,
): MaybePromise<Answer> {
  const pathRoutes = routes.find(request.path);
  const route = pathRoutes?.find(request.method);
  if (route?.access === "proxy") return answerProxy(services, route, request);
  return answerWithId(services.requests, request, async () => {
    const answer = await answerInOrder(services, pathRoutes, route, request);
    return route?.referrer === "none"
      ? withHeader(answer, "Referrer-Policy", "no-referrer")
      : answer;
  });
}

/**
 * Runs all checks in order, then the route. A form can arrive long after its headers, so the user
 * is looked up after the form is read. Any client can send a form to the sign-in page, so this adds
 * no load: `readForm` bounds the size, and the server bounds the time of a request.
 */
async function answerInOrder(
  services: Services,
  pathRoutes: PathRoutes | undefined,
  route: CheckedRoute | undefined,
  request: WebRequest,
): Promise<Answer> {
  const { rules, paths, proxies } = services;
  const refusals = pathRoutes?.refusals === "json" ? createJsonRefusals(services) : services.views;
  let user: User | undefined;
  let failure: CheckedRoute["failure"];
  try {
    const checksHost = pathRoutes === undefined || pathRoutes.host === "checked";
    if (checksHost && !(await isHostAllowed(services, request))) {
      return await answerMisdirected(services, refusals, request);
    }
    if (pathRoutes === undefined) return await refusals.error({ request }, 404, "noSuchPage");
    if (route === undefined) {
      const headers = { Allow: pathRoutes.allow };
      const isPage = ["GET", "HEAD"].includes(request.method) && pathRoutes.allow === "POST";
      const message = isPage ? "formsOnly" : "methodNotAllowed";
      return await refusals.error({ request }, 405, message, headers);
    }

    if (route.method === "POST" && isForeignForm(services, route, request)) {
      logRefusal(services, request, "form of another site refused");
      return await refusals.error({ request }, 403, "crossSite");
    }
    const context: Context = { ...services, request, client: proxies.getClient(request) };
    if (route.form === "upload") {
      // A file takes more memory than a form, so other clients cannot send one.
      const early = await authorize(context, route);
      if (early.kind === "refused") return early.answer;
    }
    const form = await readBodyOf(route, request);
    if (form === "too-large") {
      logRefusal(services, request, "unreadable form refused");
      return await refusals.error({ request }, 413, "formUnreadable");
    }
    if (form === "aborted") return await refusals.error({ request }, 400, "formUnreadable");

    if (route.access === "public") {
      failure = route.failure;
      if (typeof form === "function") return await route.run(context, form);
      // The setup state decides before the form problem does.
      const hasAccount = await rules.credentialCache.anyExists();
      if (route.form === "before-setup" && hasAccount) return redirect(paths.login);
      if (route.form === "after-setup" && !hasAccount) {
        return route.json === undefined ? redirect(paths.setup) : refuseWithoutAccount();
      }
      return await refuseUnreadable(context, refusals, form);
    }

    const decision = await authorize(context, route);
    if (decision.kind === "refused") return decision.answer;
    user = decision.user;
    const userContext: UserContext = { ...context, user, lacksFactor: decision.lacksFactor };
    failure = route.failure;
    if (typeof form !== "function") return await refuseUnreadable(userContext, refusals, form);
    return route.page === "sign-in-methods"
      ? await answerSignInMethodForm(userContext, await route.run(userContext, form))
      : await route.run(userContext, form);
  } catch (thrown) {
    return answerFailure(refusals, { request, user }, thrown, failure);
  }
}

/** Reads the body of a request as the route expects it. */
function readBodyOf(
  { form, json }: Pick<CheckedRoute, "form" | "json">,
  request: WebRequest,
): MaybePromise<Form | FormProblem | JsonProblem> {
  switch (form) {
    case undefined:
      return NO_FORM;
    case "upload":
      return readUpload(request);
    default:
      return json === undefined ? readForm(request) : readJson(request, json);
  }
}

/** Replaces the form of a request whose body is not read. */
const NO_FORM: Form = () => "";

/** Returns the response without a promise if `run` does. */
function answerProxy(
  services: Services,
  route: ProxyRoute,
  request: WebRequest,
): MaybePromise<Answer> {
  try {
    const answer = route.run(services, request);
    return answer instanceof Promise
      ? answer.catch((thrown) => answerFailure(services.views, { request }, thrown))
      : answer;
  } catch (thrown) {
    return answerFailure(services.views, { request }, thrown);
  }
}

/**
 * Returns whether the request is for a host of Latchkey, or for a host that gets its session here.
 */
async function isHostAllowed(
  { options, paths, rules }: Services,
  request: WebRequest,
): Promise<boolean> {
  const { allowed } = options.hosts;
  if (allowsAnyHost(allowed)) return true;
  if (allowed === "loopback-setup" && request.path !== paths.setup) return true;
  if (request.path === HANDOFF && getHandoffRoot(options, request) !== undefined) return true;
  switch (judgeHost(options.hosts, getHost(request))) {
    case "allowed":
      return true;
    case "no-setup":
      return rules.credentialCache.anyExists();
    case "refused":
      return false;
  }
}

/** Answers a request for a host that is not allowed, and logs which settings would allow it. */
function answerMisdirected(
  services: Services,
  refusals: Refusals,
  request: WebRequest,
): Promise<Answer> {
  const host = getReadableHost(request).slice(0, MAX_LOGGED_HOST);
  logRefusal(services, request, HOST_REFUSED, { host });
  // Behind a proxy that is not trusted, every visitor has the address of the proxy.
  const isForwarded = request.header("x-forwarded-for") !== undefined;
  const isLocal = isLoopbackHost(services.proxies.getAddressOrUnknown(request));
  return refusals.misdirected({ request }, isLocal && !isForwarded ? "operator" : "visitor");
}

const MAX_LOGGED_HOST = 255;
const HOST_REFUSED =
  "request for another host refused: ALLOWED_HOSTS (hosts.allowed) or PUBLIC_URL (hosts.publicUrl) can allow the host";

/**
 * Returns whether another site sent the form. Latchkey's own public URL never counts as another
 * site.
 */
function isForeignForm(
  { options }: Services,
  { origin }: CheckedRoute,
  request: WebRequest,
): boolean {
  const { publicUrl, trustedOrigins } = options.hosts;
  if (origin === "link-page" && isSentByLinkPage(request)) return false;
  const others = origin === "trusted" ? trustedOrigins : [];
  return isCrossSite(request, others.concat(publicUrl ?? []));
}

/**
 * Answers a request whose form cannot be read.
 *
 * @throws {Fault} `form_already_read` if a body parser has read the body.
 */
function refuseUnreadable(
  context: Context | UserContext,
  refusals: Refusals,
  problem: Exclude<FormProblem | JsonProblem, "too-large" | "aborted">,
): MaybePromise<Answer> {
  if (typeof problem === "object") {
    logRefusal(context, context.request, "unreadable form refused");
    return refuseWrongTypes(problem);
  }
  switch (problem) {
    case "not-a-form":
    case "not-json":
      logRefusal(context, context.request, "unreadable form refused");
      return refusals.error(context, 415, "notAForm");
    case "not-utf8":
    case "malformed":
      logRefusal(context, context.request, "unreadable form refused");
      return refusals.error(context, 400, "formUnreadable");
    case "already-read":
      throw new Fault(
        "form_already_read",
        "another middleware has read the form: mount Latchkey's routes before body parsers",
      );
  }
}

type Decision =
  | { readonly kind: "admitted"; readonly user: User; readonly lacksFactor: boolean }
  | { readonly kind: "refused"; readonly answer: Answer };

/** Decides who sent the request and whether the user may use the route. */
async function authorize(context: Context, route: UserChecks): Promise<Decision> {
  const { rules, views, request } = context;
  const admission = await rules.authenticate(request.header("cookie"));
  if (!isAdmitted(admission)) {
    return admission.kind === "factor-missing" && route.access === "enrolling"
      ? authorizeRecent(context, route, { user: admission.user, lacksFactor: true })
      : refuse(
          route.json === undefined
            ? refuseOwnRequest(context, admission)
            : refuseNotAdmitted(context, admission, request),
        );
  }
  switch (admission.kind) {
    case "admitted":
      if (route.access === "admin") return authorizeAdmin(context, route, admission.user);
      return authorizeRecent(context, route, { user: admission.user, lacksFactor: false });
    case "guest":
      switch (route.access) {
        case "guest":
          return authorizeRecent(context, route, { user: admission.user, lacksFactor: false });
        case "admin":
          return refuse(await views.error(context, 404, "noSuchPage"));
        case "user":
        case "enrolling":
          return refuse(
            route.json === undefined
              ? await refuseExcluded(context, request, admission.user)
              : refuseGuest(),
          );
      }
  }
}

/**
 * Answers users who are not administrators as if the path did not exist. The store decides, because
 * another process may have just removed the user from the group.
 */
async function authorizeAdmin(context: Context, route: UserChecks, given: User): Promise<Decision> {
  const user = await findAdmin(context.rules, given.id);
  return user === undefined
    ? refuse(await context.views.error(context, 404, "noSuchPage"))
    : authorizeRecent(context, route, { user, lacksFactor: false });
}

function authorizeRecent(
  context: Context,
  { recent }: UserChecks,
  admitted: { readonly user: User; readonly lacksFactor: boolean },
): Decision {
  const { paths, request } = context;
  if (recent === undefined || hasRecentSignIn(context, request)) {
    return { kind: "admitted", ...admitted };
  }
  switch (recent) {
    case "people":
      return refuse(askForRecentSignIn(context, request, findPeoplePage(paths, request)));
    case "apps":
      return refuse(askForRecentSignIn(context, request, findAppPage(paths, request)));
    case "signInMethods": {
      const page = paths.account?.signInMethods;
      const target = page && addReturnTo(page, readReturnTarget(context));
      return refuse(askForRecentSignIn(context, request, target));
    }
    case "keys":
      return refuse(askForRecentSignIn(context, request, paths.account?.keys));
  }
}

const refuse = (answer: Answer): Decision => ({ kind: "refused", answer });

/**
 * Answers a request to a route of Latchkey whose user is not signed in. After a form, the sign-in
 * page shows that the session has ended.
 */
function refuseOwnRequest(context: Context, admission: NotAdmitted): Answer {
  const { options, paths, request } = context;
  const path = findSignInPath(context, admission, request);
  const answer = refuseSignedOut(options, path, request);
  const isForm = getRequestKind(request.method, request) === "form";
  return isForm && path === paths.login
    ? { ...answer, cookies: [...answer.cookies, createNoticeCookie(request, "sessionExpired")] }
    : answer;
}

/**
 * Rejects only with an `Error`. Frameworks could treat other values as "continue with the next
 * handler".
 */
async function answerFailure(
  refusals: Refusals,
  viewer: Viewer,
  thrown: unknown,
  failure?: CheckedRoute["failure"],
): Promise<Answer> {
  try {
    // The failure is not logged, because any client could fill the server log by disconnecting.
    if (isClientGone(thrown)) return await refusals.error(viewer, 400, "formUnreadable");
    return await refusals.fault(viewer, thrown, failure);
  } catch (again) {
    throw toError(again);
  }
}
