import type { AccountFormResult } from "./features/account-form.ts";
import { getHistory } from "./features/activity/history-pages.ts";
import {
  getApiSession,
  PASSWORD_FIELDS,
  postApiPassword,
  postApiSignIn,
  postApiSignOut,
  postApiSignUp,
  SIGN_IN_FIELDS,
  SIGN_UP_FIELDS,
} from "./features/api/api-pages.ts";
import { getAppIcon } from "./features/apps/app-icon-pages.ts";
import {
  postBeginCodes,
  postConfirmCodes,
  postRenewCodes,
  postTurnOffCodes,
} from "./features/codes/codes-pages.ts";
import type { Context, Services, UserContext } from "./features/context.ts";
import { getHandoff, postHandoffLogout } from "./features/domains/handoff-pages.ts";
import { answerForwardAuth } from "./features/forward-auth/forward-auth-pages.ts";
import { answerSuffixedForwardAuth } from "./features/forward-auth/forward-auth-suffix-pages.ts";
import { getAccount, getHome } from "./features/home/home-pages.ts";
import { getKeys, postAddKey, postRevokeKey } from "./features/keys/keys-pages.ts";
import { getLauncher, postPasskeyLater } from "./features/launcher/launcher-pages.ts";
import { getLink, postLink } from "./features/links/links-pages.ts";
import { toPublicKeys } from "./features/oidc/signing-keys.ts";
import {
  postAddPasskey,
  postBeginPasskey,
  postPasskeySignIn,
  postRemovePasskey,
  postRenamePasskey,
} from "./features/passkeys/passkeys-pages.ts";
import { getForgot, postForgot } from "./features/password/forgot-pages.ts";
import { getMe, postPassword } from "./features/password/password-pages.ts";
import { getProfile, postConfirmEmail, postProfile } from "./features/profile/profile-pages.ts";
import { getDevices, postEndSession, postLogout } from "./features/sessions/sessions-pages.ts";
import { getSetup, postSetup } from "./features/setup/setup-pages.ts";
import { getLogin, postLogin } from "./features/sign-in/sign-in-pages.ts";
import { getSignInMethods } from "./features/sign-in-methods/sign-in-methods-pages.ts";
import { getSignUp, postSignUp } from "./features/sign-up/sign-up-pages.ts";
import type { Form } from "./http/form.ts";
import type { JsonFields } from "./http/json-body.ts";
import { listAccountPages } from "./http/navigation.ts";
import {
  ALIVE,
  API,
  APP_FORMS,
  APP_ICONS,
  ASSERTION_KEYS,
  CHANGE_PASSWORD,
  FORGOT,
  FORWARD_AUTH,
  getRoutePath,
  HANDOFF,
  NEW_APP,
  OAUTH_DISCOVERY,
  OIDC,
  OIDC_DEVICE,
  OIDC_DISCOVERY,
  OIDC_INTERACTION,
  PASSKEY_LATER,
  type Paths,
  PEOPLE_FORMS,
  READY,
  REVOKE_CONSENT,
  SIGN_IN_WITH,
} from "./http/paths.ts";
import { type Answer, redirect, respondJson, respondText } from "./http/responses.ts";
import type { Site } from "./http/site.ts";
import type { WebRequest } from "./http/web-request.ts";
import { getErrorMessage } from "./lib/fault.ts";
import type { MaybePromise } from "./lib/maybe-promise.ts";
import type { AccountPage } from "./pages/page-data.ts";

/**
 * Lists what `handle` checks before it runs a route. A missing property means the strict default.
 */
interface RouteChecks {
  /** A GET route also answers HEAD, without sending the body. */
  readonly method: "GET" | "POST";
  readonly path: string;
  /** With `prefix`, the route also answers all paths that begin with `path`. */
  readonly match?: "prefix";
  /**
   * With `any`, the route answers for every host name. By default, it answers only for allowed
   * hosts.
   */
  readonly host?: "any";
  /**
   * Accepts forms in addition to Latchkey's own: forms from the `trusted` origins, or forms from a
   * `link-page`, which browsers send without an origin.
   */
  readonly origin?: "trusted" | "link-page";
  /**
   * With `none`, the next page that the browser opens does not learn the URL, which contains a
   * secret.
   */
  readonly referrer?: "none";
  /** With `what-failed`, the error page shows what failed. By default, it does not. */
  readonly failure?: "what-failed";
  /** Makes every response JSON. If the route reads a form, it is a JSON object with these fields. */
  readonly json?: JsonFields;
}

/** Describes a route for every client. */
export interface PublicRoute extends RouteChecks {
  readonly access: "public";
  /**
   * Says whether the form belongs before or after the setup. At the wrong time, an unreadable form
   * redirects to the page that fits. By default, the body is not read.
   */
  readonly form?: "before-setup" | "after-setup";
  readonly run: (context: Context, form: Form) => MaybePromise<Answer>;
}

/** Lists what `handle` checks about the user before it runs a route for signed-in users. */
export interface UserChecks extends RouteChecks {
  /**
   * Says who may use the route: a `user`; with `guest`, also a guest; with `enrolling`, also a user
   * who must first turn on a second factor; or an `admin`. For users who are not administrators, an
   * `admin` path does not exist.
   */
  readonly access: "user" | "guest" | "enrolling" | "admin";
  /** An `upload` is a form with a file. By default, the body is not read. */
  readonly form?: "read" | "upload";
  /**
   * Requires a sign-in within the last ten minutes. The sign-in returns to this page of the account,
   * or to the page of people, links or apps that has the form.
   */
  readonly recent?: "signInMethods" | "keys" | "people" | "apps";
}

/** Describes a route for signed-in users. */
export interface UserRoute extends UserChecks {
  readonly page?: undefined;
  readonly run: (context: UserContext, form: Form) => MaybePromise<Answer>;
}

/**
 * Describes a form about how the user signs in. `handle` renders the page with the result of the
 * form.
 */
export interface AccountFormRoute extends UserChecks {
  readonly page: "sign-in-methods";
  readonly run: (context: UserContext, form: Form) => Promise<AccountFormResult>;
}

/** Describes a route that runs after all checks. */
export type CheckedRoute = PublicRoute | UserRoute | AccountFormRoute;

/**
 * Describes a route that a reverse proxy calls before each request to an app. It makes all
 * decisions itself.
 */
export interface ProxyRoute {
  readonly method: "GET" | "any";
  readonly path: string;
  /** With `prefix`, the route also answers all paths that begin with `path`. */
  readonly match?: "prefix";
  readonly access: "proxy";
  readonly run: (services: Services, request: WebRequest) => MaybePromise<Answer>;
}

export type Route = CheckedRoute | ProxyRoute;

/** Contains the routes of the pages of the account. */
const accountPages: Readonly<Record<AccountPage, Pick<UserRoute, "access" | "run">>> = {
  profile: { access: "user", run: getProfile },
  signInMethods: { access: "enrolling", run: getSignInMethods },
  devices: { access: "user", run: getDevices },
  // An app without apps that use OpenID Connect never loads this module.
  access: {
    access: "user",
    run: async (context) => (await import("./features/apps/consents-pages.ts")).getAccess(context),
  },
  keys: { access: "user", run: getKeys },
  history: { access: "user", run: getHistory },
};

/** Lists all routes that exist with these options. */
export function listRoutes(services: Services, assets: Site["assets"]): Route[] {
  const { options, paths, rules, oidc } = services;
  const { base, login, setup, password, people, apps, launcher } = paths;
  const { signIn, sessions, guards, standalone } = options;
  const account = `${base}/account`;
  const codes = `${account}/codes`;
  const passkeys = `${account}/passkeys`;
  const link = getRoutePath(paths, paths.link);

  const post = { method: "POST", form: "read" } as const;
  const accountForm = { ...post, page: "sign-in-methods" } as const;
  const pages = paths.account && listAccountPages(options, paths.account);

  const routes: Route[] = [
    { method: "GET", path: login, access: "public", run: getLogin },
    { method: "POST", path: login, access: "public", form: "after-setup", run: postLogin },
    { method: "GET", path: setup, access: "public", run: getSetup },
    {
      method: "POST",
      path: setup,
      access: "public",
      form: "before-setup",
      failure: "what-failed",
      run: postSetup,
    },
    // Trusted origins may send no other form, because their pages could act as the user who visits
    // them.
    {
      method: "POST",
      path: `${base}/logout`,
      access: "public",
      origin: "trusted",
      run: postLogout,
    },
    { method: "GET", path: `${account}/me`, access: "public", run: getMe },
    {
      method: "POST",
      path: password,
      access: "user",
      form: "read",
      failure: "what-failed",
      page: "sign-in-methods",
      run: postPassword,
    },
    // With `mail` off, people ask their administrator.
    ...(options.mail === undefined ? [] : listForgotRoutes(`${login}${FORGOT}`)),
    { method: "GET", path: link, access: "public", referrer: "none", run: getLink },
    {
      method: "POST",
      path: link,
      access: "public",
      form: "after-setup",
      origin: "link-page",
      referrer: "none",
      run: postLink,
    },
  ];

  for (const path of paths.homes) {
    // A host that belongs to an app has only the second path, which leads to the account.
    const run = path === paths.homes[0] ? getHome : getAccount;
    routes.push({ method: "GET", path, access: launcher === undefined ? "user" : "guest", run });
  }
  for (const { page, path } of pages ?? []) {
    routes.push({ method: "GET", path, ...accountPages[page] });
  }
  if (paths.account !== undefined) {
    // The form asks for a recent sign-in itself, because only a new address needs one.
    const { profile } = paths.account;
    routes.push({ ...post, path: profile, access: "user", run: postProfile });
    if (options.mail !== undefined) {
      routes.push({ ...post, path: `${profile}/confirm`, access: "user", run: postConfirmEmail });
    }
  }
  if (launcher !== undefined) {
    routes.push(
      { method: "GET", path: launcher, access: "guest", run: getLauncher },
      { ...post, path: base + PASSKEY_LATER, access: "user", run: postPasskeyLater },
    );
  }
  if (sessions.list) {
    const path = `${account}/sessions/end`;
    routes.push({ method: "POST", path, access: "user", form: "read", run: postEndSession });
  }
  if (sessions.list && options.returnDomains.length > 0) {
    routes.push(
      { method: "GET", path: HANDOFF, access: "public", referrer: "none", run: getHandoff },
      { method: "POST", path: HANDOFF, access: "public", run: postHandoffLogout },
    );
  }
  // To begin, users need a recent sign-in. The response proves it to the confirming form, for codes
  // and for passkeys. Only the pages of the account have the forms of one-time codes.
  if (signIn.codes && pages !== undefined) {
    routes.push(
      {
        ...accountForm,
        path: `${codes}/begin`,
        access: "enrolling",
        recent: "signInMethods",
        run: postBeginCodes,
      },
      { ...accountForm, path: `${codes}/confirm`, access: "enrolling", run: postConfirmCodes },
      {
        ...accountForm,
        path: `${codes}/renew`,
        access: "user",
        recent: "signInMethods",
        run: postRenewCodes,
      },
      {
        ...post,
        path: `${codes}/off`,
        access: "user",
        recent: "signInMethods",
        run: postTurnOffCodes,
      },
    );
  }
  if (signIn.signUp.mode !== "off") {
    const path = `${login}/sign-up`;
    routes.push(
      { method: "GET", path, access: "public", run: getSignUp },
      { method: "POST", path, access: "public", form: "after-setup", run: postSignUp },
    );
  }
  if (signIn.with.length > 0) {
    const path = `${login}${SIGN_IN_WITH}`;
    const load = () => import("./features/sign-in-with/sign-in-with-pages.ts");
    const identities = `${account}/identities`;
    const recent = "signInMethods";
    routes.push(
      {
        method: "GET",
        path,
        match: "prefix",
        access: "public",
        // The address has the code of the provider.
        referrer: "none",
        run: async (context) => (await load()).getWith(context),
      },
      {
        method: "GET",
        path: `${path}code`,
        access: "public",
        run: async (context) => (await load()).getWith(context),
      },
      {
        method: "POST",
        path: `${path}code`,
        access: "public",
        form: "after-setup",
        run: async (context, form) => (await load()).postCode(context, form),
      },
      {
        ...post,
        path: `${identities}/add`,
        access: "user",
        recent,
        run: async (context, form) => (await load()).postLinkIdentity(context, form),
      },
      {
        ...post,
        path: `${identities}/remove`,
        access: "user",
        recent,
        run: async (context, form) => (await load()).postUnlinkIdentity(context, form),
      },
    );
  }
  if (signIn.passkeys) {
    const recent = "signInMethods";
    routes.push(
      {
        method: "POST",
        path: `${login}/passkey`,
        access: "public",
        form: "after-setup",
        run: postPasskeySignIn,
      },
      { ...post, path: `${passkeys}/begin`, access: "enrolling", recent, run: postBeginPasskey },
      { ...post, path: `${passkeys}/add`, access: "enrolling", run: postAddPasskey },
      { ...post, path: `${passkeys}/rename`, access: "user", recent, run: postRenamePasskey },
      { ...post, path: `${passkeys}/remove`, access: "user", recent, run: postRemovePasskey },
    );
  }
  // The response shows the new API key on the page of the keys.
  if (guards.keys && pages !== undefined) {
    const path = `${account}/keys`;
    routes.push(
      { ...post, path: `${path}/add`, access: "user", recent: "keys", run: postAddKey },
      { ...post, path: `${path}/revoke`, access: "user", recent: "keys", run: postRevokeKey },
    );
  }
  if (options.api) routes.push(...listApiRoutes(base, options));
  if (options.people) {
    // These modules load on first use, so that an app without these pages never loads them.
    const loadPeople = () => import("./features/people/people-pages.ts");
    const loadActions = () => import("./features/people/people-actions-pages.ts");
    const loadLinks = () => import("./features/people/open-links-pages.ts");
    const getPerson = async (context: UserContext) => (await loadPeople()).getPerson(context);
    const loadActivity = () => import("./features/activity/activity-pages.ts");
    routes.push(
      {
        method: "GET",
        path: people,
        access: "admin",
        run: async (context) => (await loadPeople()).getPeople(context),
      },
      { method: "GET", path: `${people}/`, match: "prefix", access: "admin", run: getPerson },
      {
        method: "GET",
        path: paths.links,
        access: "admin",
        run: async (context) => (await loadLinks()).getLinks(context),
      },
      {
        method: "GET",
        path: paths.activity,
        access: "admin",
        run: async (context) => (await loadActivity()).getActivity(context),
      },
    );
    for (const name of PEOPLE_FORMS) {
      const path = `${people}/${name}`;
      routes.push(
        {
          method: "POST",
          path,
          access: "admin",
          form: "read",
          recent: "people",
          run: async (context, form) => (await loadActions()).postPeople(name, context, form),
        },
        // An account can have this ID.
        { method: "GET", path, access: "admin", run: getPerson },
      );
    }
  }

  if (options.people) {
    const loadApps = () => import("./features/apps/apps-pages.ts");
    const loadActions = () => import("./features/apps/apps-actions-pages.ts");
    const getApp = async (context: UserContext) => (await loadApps()).getApp(context);
    routes.push(
      {
        method: "GET",
        path: apps,
        access: "admin",
        run: async (context) => (await loadApps()).getApps(context),
      },
      {
        method: "GET",
        path: `${apps}/${NEW_APP}`,
        access: "admin",
        run: async (context) => (await loadApps()).getNewApp(context),
      },
      { method: "GET", path: `${apps}/`, match: "prefix", access: "admin", run: getApp },
    );
    for (const name of APP_FORMS) {
      const path = `${apps}/${name}`;
      routes.push(
        {
          method: "POST",
          path,
          access: "admin",
          form: name === "icon" ? "upload" : "read",
          recent: "apps",
          run: async (context, form) => (await loadActions()).postApps(name, context, form),
        },
        // An app can have this ID.
        { method: "GET", path, access: "admin", run: getApp },
      );
    }
  }
  if (oidc !== undefined && pages?.some(({ page }) => page === "access")) {
    const path = `${apps}/${REVOKE_CONSENT}`;
    const load = () => import("./features/apps/consents-pages.ts");
    routes.push({
      ...post,
      path,
      access: "user",
      run: async (context, form) => (await load()).postRevokeConsent(context, form),
    });
    // An app can have this ID.
    if (options.people) {
      const run = async (context: UserContext) =>
        (await import("./features/apps/apps-pages.ts")).getApp(context);
      routes.push({ method: "GET", path, access: "admin", run });
    }
  }

  if (options.people || oidc !== undefined) {
    routes.push({
      method: "GET",
      path: base + APP_ICONS,
      match: "prefix",
      access: "public",
      host: "any",
      run: getAppIcon,
    });
  }
  if (oidc !== undefined) {
    const prefix = { path: base + OIDC_INTERACTION, match: "prefix", access: "public" } as const;
    routes.push(
      {
        ...prefix,
        method: "GET",
        run: async (context: Context) => (await oidc()).getInteraction(context),
      },
      {
        ...prefix,
        method: "POST",
        form: "after-setup",
        run: async (context, form) => (await oidc()).postInteraction(context, form),
      },
    );
    const run = async (_: Services, request: WebRequest) => (await oidc()).answer(request);
    routes.push({ method: "any", path: base + OIDC, match: "prefix", access: "proxy", run });
    const device = base + OIDC_DEVICE;
    routes.push({ method: "any", path: `${device}/`, match: "prefix", access: "proxy", run });
    for (const path of [OIDC_DISCOVERY, OAUTH_DISCOVERY, device]) {
      routes.push({ method: "any", path, access: "proxy", run });
    }
  }

  // Any host name works here: the page for a wrong host loads its style sheet, load balancers send
  // an IP address as the host, and a reverse proxy sends the host of the app.
  const anyHost = { method: "GET", access: "public", host: "any" } as const;
  for (const [path, answerAsset] of assets) {
    const run = ({ request }: Context): Answer => answerAsset(request);
    routes.push({ ...anyHost, path, run });
  }
  if (standalone) {
    const path = base + FORWARD_AUTH;
    routes.push(
      { ...anyHost, path: base + ALIVE, run: () => respondText("alive", 200) },
      { ...anyHost, path: base + READY, run: answerReady },
      { method: "GET", path, access: "proxy", run: answerForwardAuth },
      {
        method: "any",
        path: `${path}/`,
        match: "prefix",
        access: "proxy",
        run: answerSuffixedForwardAuth,
      },
    );
  }
  if (standalone && rules.assertions !== undefined) {
    const run = async () =>
      respondJson({ keys: toPublicKeys(await rules.signingKeys.read()) }, 200);
    routes.push({ ...anyHost, path: ASSERTION_KEYS, run });
  }
  if (standalone && paths.account !== undefined) {
    // Browsers scroll to the form that the fragment names.
    const page = `${paths.account.signInMethods}#change-password`;
    const run = () => redirect(page);
    routes.push({ method: "GET", path: CHANGE_PASSWORD, access: "public", run });
  }
  return routes;
}

const listForgotRoutes = (path: string): readonly Route[] => [
  { method: "GET", path, access: "public", run: getForgot },
  { method: "POST", path, access: "public", form: "after-setup", run: postForgot },
];

/** Lists the routes of an app's own forms. They have the checks of the pages that they stand for. */
function listApiRoutes(base: string, { signIn, mail }: Services["options"]): readonly Route[] {
  const post = { method: "POST", access: "public", form: "after-setup" } as const;
  return [
    { ...post, path: base + API.signIn, json: SIGN_IN_FIELDS, run: postApiSignIn },
    // Pages of the trusted origins post the form, since browsers send no JSON to another origin.
    { ...post, path: base + API.signOut, json: {}, run: postApiSignOut },
    {
      method: "POST",
      path: base + API.password,
      access: "user",
      form: "read",
      json: PASSWORD_FIELDS,
      run: postApiPassword,
    },
    // The form takes an address, to which a link is sent.
    ...(signIn.signUp.mode === "off" || mail === undefined
      ? []
      : [{ ...post, path: base + API.signUp, json: SIGN_UP_FIELDS, run: postApiSignUp }]),
    { method: "GET", path: base + API.session, access: "public", json: {}, run: getApiSession },
  ];
}

/** Queries the database without any cache and reports whether it responds. */
async function answerReady({ rules, requests }: Context): Promise<Answer> {
  try {
    await rules.store.users.any();
    return respondText("ready", 200);
  } catch (error) {
    requests.log.warn({ reason: getErrorMessage(error) }, "not ready: the store does not answer");
    return respondText("the store does not answer", 503);
  }
}

/** Contains the routes of one path. */
export interface PathRoutes {
  readonly host: "any" | "checked";
  /** Says how a request is refused. */
  readonly refusals: "pages" | "json";
  /** Lists the methods of the path for an `Allow` header. */
  readonly allow: string;
  find(method: string): Route | undefined;
}

/** Finds routes by path and method. */
export interface RouteTable {
  /**
   * Lists the paths that Latchkey serves. In the path of one-time links, `:token` stands for any
   * text, and at the end of a path, `*` does.
   */
  readonly paths: ReadonlySet<string>;
  find(path: string): PathRoutes | undefined;
}

export function createRouteTable(paths: Paths, routes: readonly Route[]): RouteTable {
  const byPath = new Map<string, PathRoutes>();
  const byPrefix = new Map<string, PathRoutes>();
  for (const [path, routesOfPath] of Map.groupBy(routes, (route) => route.path)) {
    const isPrefix = routesOfPath.some((route) => route.match === "prefix");
    (isPrefix ? byPrefix : byPath).set(path, createPathRoutes(routesOfPath));
  }
  // A longer prefix is a part of a shorter one, so it is tried first.
  const prefixes = [...byPrefix].sort(([first], [second]) => second.length - first.length);
  return {
    paths: new Set([...byPath.keys(), ...prefixes.map(([prefix]) => `${prefix}*`)]),
    find: (path) =>
      byPath.get(path) ??
      byPath.get(getRoutePath(paths, path)) ??
      prefixes.find(([prefix]) => path.startsWith(prefix))?.[1],
  };
}

function createPathRoutes(routes: readonly Route[]): PathRoutes {
  const byMethod = new Map(routes.map((route) => [route.method, route]));
  const [get, post, any] = [byMethod.get("GET"), byMethod.get("POST"), byMethod.get("any")];
  const isOpen = routes.every((route) => route.access === "proxy" || route.host === "any");
  const isJson = routes.every((route) => route.access !== "proxy" && route.json !== undefined);
  return {
    host: isOpen ? "any" : "checked",
    refusals: isJson ? "json" : "pages",
    allow: [...(get ? ["GET", "HEAD"] : []), ...(post ? ["POST"] : [])].join(", "),
    find(method) {
      switch (method) {
        case "GET":
        case "HEAD":
          return get ?? any;
        case "POST":
          return post ?? any;
        default:
          return any;
      }
    },
  };
}
