import type { MaybePromise } from "../core/base/maybe-promise.ts";
import { type Answer, redirect, withHeader } from "./answers/responses.ts";
import { withReturnTo } from "./answers/return-to.ts";
import { getMe, postPassword } from "./endpoints/account.ts";
import {
  postBeginCodes,
  postConfirmCodes,
  postRenewCodes,
  postTurnOffCodes,
} from "./endpoints/codes.ts";
import { getHandoff } from "./endpoints/handoff.ts";
import { getHome } from "./endpoints/home.ts";
import { postAddKey, postRevokeKey } from "./endpoints/keys.ts";
import { getLink, isOpenedHere, postLink, withoutReferrer } from "./endpoints/links.ts";
import { askedTarget, getLogin, postLogin } from "./endpoints/login.ts";
import {
  postAddPasskey,
  postBeginPasskey,
  postPasskeySignIn,
  postRemovePasskey,
  postRenamePasskey,
} from "./endpoints/passkeys.ts";
import { postEndSession, postLogout } from "./endpoints/sessions.ts";
import { getSetup, postSetup } from "./endpoints/setup.ts";
import { CHANGE_PASSWORD, HANDOFF, PEOPLE_FORMS, routeOf } from "./paths.ts";
import {
  type Endpoint,
  type FormEndpoint,
  type OwnEndpoint,
  type OwnFormEndpoint,
  type Visit,
  visitOf,
  type WebPorts,
} from "./ports.ts";
import { createProxyWarning } from "./request/warnings.ts";
import type { WebRequest } from "./request/web-request.ts";
import {
  confirmed,
  type Elsewhere,
  enrolling,
  failingSafely,
  guarded,
  guardedForm,
  type Methods,
  refusingCrossSite,
  sayingExpired,
  withForm,
} from "./wrapped.ts";

/** The pages and forms: each with its path, its methods, who may use it and what answers. */
export function siteRoutes(ports: WebPorts): ReadonlyMap<string, Methods> {
  const { paths, options, proxies, requests } = ports;
  const { base, home, homes } = paths;
  const { memory } = ports.rules;
  const { sessions, codes, passkeys, links, people, keys } = ports.parts;
  const site = new Map<string, Methods>();
  const get = (path: string, GET: Endpoint): unknown => site.set(path, { ...site.get(path), GET });
  const post = (path: string, endpoint: Endpoint, origins: readonly string[] = []): unknown =>
    site.set(path, { ...site.get(path), POST: refusingCrossSite(ports, endpoint, origins) });

  /** A form of a signed-in user; with `enrolling`, also of one who lacks a second factor. */
  const ownForm = (endpoint: OwnFormEndpoint, admit = guarded): Endpoint =>
    sayingExpired(
      ports,
      guardedForm(ports, (own) => admit(ports, own), endpoint),
    );
  /** The same with a recent sign-in, which leads back to a section of the home page. */
  const recentForm = (section: string, endpoint: OwnFormEndpoint, admit = guarded): Endpoint => {
    const back = (request: WebRequest): string | undefined =>
      home && `${withReturnTo(home, askedTarget(visitOf(ports, request)))}#your-${section}`;
    const guard = (own: OwnEndpoint) => admit(ports, confirmed(ports, back, own));
    return sayingExpired(ports, guardedForm(ports, guard, endpoint));
  };
  // Where a form belongs by the count of accounts, which comes before whether it can be read.
  const unlessSetUp: Elsewhere = async () =>
    (await memory.anyExists()) ? undefined : redirect(paths.setup);
  const onceSetUp: Elsewhere = async () =>
    (await memory.anyExists()) ? redirect(paths.login) : undefined;
  const warnOfProxy = createProxyWarning(proxies, requests.log);
  /** A sign-in, which the rate limit counts by address. */
  const signInForm = (endpoint: FormEndpoint): Endpoint => {
    const answer = withForm(ports, endpoint, unlessSetUp);
    return (request) => {
      warnOfProxy(request);
      return answer(request);
    };
  };
  const showingFaults = (endpoint: Endpoint): Endpoint =>
    failingSafely(ports, endpoint, "what-failed");

  /** Also without a user. */
  const at =
    (endpoint: (visit: Visit) => MaybePromise<Answer>): Endpoint =>
    (request) =>
      endpoint(visitOf(ports, request));

  get(paths.login, at(getLogin));
  post(paths.login, signInForm(postLogin));
  get(paths.setup, at(getSetup));
  post(paths.setup, showingFaults(withForm(ports, postSetup, onceSetUp)));
  // Any other form would let the pages of each trusted app act as the user who visits them.
  post(`${base}/logout`, at(postLogout), options.hosts.trustedOrigins);
  get(`${base}/account/me`, at(getMe));
  post(paths.password, showingFaults(ownForm(postPassword)));
  if (sessions !== undefined) {
    post(`${base}/account/sessions/end`, ownForm(postEndSession(sessions)));
  }
  if (sessions !== undefined && options.returnDomains.length > 0) {
    const handoff = at((visit) => getHandoff(sessions, visit));
    get(HANDOFF, withoutReferrer(handoff));
    // Ends the session of the host, and leads to the sign-in, whose session goes on.
    const signIn = `${options.hosts.publicUrl}${paths.login}`;
    const logout = at(async (visit) => withHeader(await postLogout(visit), "Location", signIn));
    post(HANDOFF, logout);
  }
  // The forms of one-time codes are only on the home page.
  if (codes !== undefined && home !== undefined) {
    const path = `${base}/account/codes`;
    post(`${path}/begin`, recentForm("codes", postBeginCodes(codes), enrolling));
    post(`${path}/confirm`, ownForm(postConfirmCodes(codes), enrolling));
    post(`${path}/renew`, recentForm("codes", postRenewCodes(codes)));
    post(`${path}/off`, recentForm("codes", postTurnOffCodes(codes)));
  }
  if (passkeys !== undefined) {
    const path = `${base}/account/passkeys`;
    post(`${base}/login/passkey`, signInForm(postPasskeySignIn(passkeys)));
    // Of codes and passkeys, what is begun proves a recent sign-in to what completes it.
    post(`${path}/begin`, recentForm("passkeys", postBeginPasskey(passkeys), enrolling));
    post(`${path}/add`, ownForm(postAddPasskey(passkeys), enrolling));
    post(`${path}/rename`, recentForm("passkeys", postRenamePasskey(passkeys)));
    post(`${path}/remove`, recentForm("passkeys", postRemovePasskey(passkeys)));
  }
  if (links !== undefined) {
    const use = withForm(ports, postLink(links), unlessSetUp);
    const refusing = refusingCrossSite(ports, use);
    /** Without a referrer, also after a failure. */
    const hidden = (endpoint: Endpoint): Endpoint =>
      withoutReferrer(failingSafely(ports, endpoint));
    site.set(routeOf(paths, paths.link), {
      GET: hidden(at((visit) => getLink(links, visit))),
      POST: hidden((request) => (isOpenedHere(request) ? use : refusing)(request)),
    });
  }
  if (people !== undefined) {
    // Loaded on first use: an app without these pages loads nothing of them.
    const shown =
      (name: "getPeople" | "getActivity"): Endpoint =>
      async (request) => {
        const pages = await import("./endpoints/people/pages.ts");
        return pages.forAdmins(ports, (visit) => pages[name](people, visit))(request);
      };
    get(paths.people, shown("getPeople"));
    get(`${paths.people}/activity`, shown("getActivity"));
    for (const name of PEOPLE_FORMS)
      post(`${paths.people}/${name}`, async (request) =>
        (await import("./endpoints/people/actions.ts")).peopleForm(ports, people, name)(request),
      );
  }
  // The answer shows the key on the home page.
  if (keys !== undefined && home !== undefined) {
    post(`${base}/account/keys/add`, recentForm("keys", postAddKey(keys)));
    post(`${base}/account/keys/revoke`, recentForm("keys", postRevokeKey(keys)));
  }
  const homePage = enrolling(ports, (request) => getHome(visitOf(ports, request)));
  for (const path of homes) get(path, homePage);
  if (options.standalone && home !== undefined) {
    // Browsers unfold the form that the fragment names.
    get(CHANGE_PASSWORD, () => redirect(`${home}#change-password`));
  }
  return site;
}
