import { messageOf } from "../core/base/fault.ts";
import { andThen } from "../core/base/maybe-promise.ts";
import {
  type Answer,
  redirect,
  respondJson,
  respondText,
  withHeader,
} from "./answers/responses.ts";
import { withReturnTo } from "./answers/return-to.ts";
import { type Endpoint, withRequestId } from "./endpoint.ts";
import { postPassword } from "./endpoints/account.ts";
import { refusingOtherHosts } from "./endpoints/allowed-hosts.ts";
import {
  postBeginCodes,
  postConfirmCodes,
  postRenewCodes,
  postTurnOffCodes,
} from "./endpoints/codes.ts";
import { confirmed, type OwnEndpoint } from "./endpoints/confirmed.ts";
import { forwardAuth } from "./endpoints/forward-auth.ts";
import { suffixedForwardAuth } from "./endpoints/forward-auth-suffix.ts";
import { getHandoff } from "./endpoints/handoff.ts";
import { getHome } from "./endpoints/home.ts";
import { postAddKey, postRevokeKey } from "./endpoints/keys.ts";
import { getLink, isOpenedHere, postLink, withoutReferrer } from "./endpoints/links.ts";
import { getLogin, postLogin, targetAfterFactor } from "./endpoints/login.ts";
import { getMe } from "./endpoints/me.ts";
import {
  postAddPasskey,
  postBeginPasskey,
  postPasskeyLogin,
  postRemovePasskey,
  postRenamePasskey,
} from "./endpoints/passkeys.ts";
import { forAdmins, PEOPLE_ACTIONS, pageOfPeople } from "./endpoints/people/for-admins.ts";
import { postEndSession, postLogout } from "./endpoints/sessions.ts";
import { getSetup, postSetup } from "./endpoints/setup.ts";
import { guarded } from "./guards.ts";
import {
  ALIVE,
  ASSERTION_KEYS,
  CHANGE_PASSWORD,
  FORWARD_AUTH,
  HANDOFF,
  READY,
  routeOf,
} from "./paths.ts";
import type { FormEndpoint, OwnFormEndpoint, PeopleRules, WebPorts } from "./ports.ts";
import { createProxyWarning } from "./request/warnings.ts";
import type { AdmittedRequest } from "./request/web-request.ts";
import {
  byMethod,
  type Elsewhere,
  enrolling,
  failingSafely,
  type Methods,
  refusingCrossSite,
  sayingExpired,
  showingFaults,
  withForm,
} from "./wrapped.ts";

/** The endpoints, and what answers a request to any path. */
interface Routes {
  readonly paths: ReadonlySet<string>;
  /** A failure is an answer too, the error page. */
  readonly answer: Endpoint;
}

/** The route table. */
export function createRoutes(ports: WebPorts): Routes {
  const { paths, options } = ports;
  const table = new Map<string, Endpoint>();
  const add = (path: string, endpoint: Endpoint): unknown =>
    table.set(path, withRequestId(ports, failingSafely(ports, endpoint)));
  for (const [path, methods] of siteRoutes(ports)) {
    add(path, refusingOtherHosts(ports, byMethod(ports, methods)));
  }
  // The host of these is not checked: the page for a wrong host has its style from here, load
  // balancers ask for an address, and a reverse proxy asks with the host of the app.
  for (const [path, GET] of ports.assets) add(path, byMethod(ports, { GET }));
  if (options.standalone) {
    add(paths.base + ALIVE, byMethod(ports, { GET: () => respondText("alive", 200) }));
    add(paths.base + READY, byMethod(ports, { GET: () => answerReady(ports) }));
    const { assertions } = ports.rules;
    if (assertions !== undefined) {
      const { keys } = assertions;
      add(ASSERTION_KEYS, byMethod(ports, { GET: () => respondJson({ keys }, 200) }));
    }
    const GET: Endpoint = (request) => forwardAuth(ports, request);
    // Without `add`: an ID for each request to an app would cost more than the answer.
    table.set(paths.base + FORWARD_AUTH, failingSafely(ports, byMethod(ports, { GET })));
  }
  const unknown = refusingOtherHosts(ports, (request) =>
    ports.views.error(request, 404, "noSuchPage"),
  );
  const suffixed = `${paths.base}${FORWARD_AUTH}/`;
  const otherwise = failingSafely(ports, (request) =>
    options.standalone && request.path.startsWith(suffixed)
      ? suffixedForwardAuth(ports, request)
      : unknown(request),
  );
  return {
    paths: new Set(table.keys()),
    answer: (request) => {
      const { path } = request;
      return (table.get(path) ?? table.get(routeOf(paths, path)) ?? otherwise)(request);
    },
  };
}

/** The pages and forms: each with its path, its methods, who may use it and what answers. */
function siteRoutes(ports: WebPorts): ReadonlyMap<string, Methods> {
  const { paths, options, requireAuth, proxies, requests } = ports;
  const { base } = paths;
  const { users, sessions, codes, passkeys, links, people, keys } = ports.rules;
  const warnOfProxy = createProxyWarning(proxies, requests.log);
  const site = new Map<string, Methods>();

  const guardedHere = (endpoint: OwnEndpoint): Endpoint => guarded(requireAuth, endpoint);
  /** For what turns on a second factor. */
  const enrollingHere = (endpoint: OwnEndpoint): Endpoint => enrolling(ports, endpoint);
  /** After a form of a session that has ended, the sign-in page says so. */
  const formOfUser = (endpoint: OwnEndpoint, around = guardedHere): Endpoint => {
    const answer = around(endpoint);
    return refusingCrossSite(ports, (request) =>
      andThen(answer(request), (answered) => sayingExpired(ports, request, answered)),
    );
  };
  /** A form of a signed-in user. */
  const ownForm = (post: OwnFormEndpoint, around?: typeof guardedHere): Endpoint =>
    formOfUser(withForm(ports, post), around);
  const home = paths.homes.at(-1);
  /** The same with a recent sign-in, which leads back to a section of the home page. */
  const recentForm = (
    section: string,
    post: OwnFormEndpoint,
    around?: typeof guardedHere,
  ): Endpoint => {
    const answer = withForm(ports, post);
    return formOfUser((request) => {
      const page = home && withReturnTo(home, targetAfterFactor(ports, request));
      return confirmed(ports, page && `${page}#your-${section}`, answer)(request);
    }, around);
  };
  // Where a form belongs by the count of accounts, which comes before whether it can be read.
  const unlessSetUp: Elsewhere = async () =>
    (await users.anyExists()) ? undefined : redirect(paths.setup);
  const onceSetUp: Elsewhere = async () =>
    (await users.anyExists()) ? redirect(paths.login) : undefined;
  /** A sign-in, which the rate limit counts by address. */
  const signInForm = (post: FormEndpoint): Endpoint => {
    const endpoint = withForm(ports, post, unlessSetUp);
    return refusingCrossSite(ports, (request) => {
      warnOfProxy(request);
      return endpoint(request);
    });
  };
  const setupForm = refusingCrossSite(ports, withForm(ports, postSetup, onceSetUp));
  const logout = refusingCrossSite(ports, (request) => postLogout(ports, request));

  site.set(paths.login, {
    GET: (request) => getLogin(ports, request),
    POST: signInForm(postLogin),
  });
  site.set(paths.setup, {
    GET: (request) => getSetup(ports, request),
    POST: showingFaults(ports, setupForm),
  });
  site.set(`${base}/logout`, { POST: logout });
  site.set(`${base}/account/me`, { GET: (request) => getMe(ports, request) });
  site.set(paths.password, { POST: showingFaults(ports, ownForm(postPassword)) });
  if (sessions !== undefined) {
    site.set(`${base}/account/sessions/end`, { POST: ownForm(postEndSession(sessions)) });
  }
  if (sessions !== undefined && options.returnDomains.length > 0) {
    site.set(HANDOFF, {
      GET: withoutReferrer((request) => getHandoff(ports, sessions, request)),
      // Ends the session of the host, and leads to the sign-in, whose session goes on.
      POST: refusingCrossSite(ports, async (request) =>
        withHeader(
          await postLogout(ports, request),
          "Location",
          `${options.hosts.publicUrl}${paths.login}`,
        ),
      ),
    });
  }
  // The forms of one-time codes are only on the home page.
  if (codes !== undefined && paths.home !== null) {
    const begin = recentForm("codes", postBeginCodes(codes), enrollingHere);
    site.set(`${base}/account/codes/begin`, { POST: begin });
    const confirm = ownForm(postConfirmCodes(codes), enrollingHere);
    site.set(`${base}/account/codes/confirm`, { POST: confirm });
    site.set(`${base}/account/codes/renew`, { POST: recentForm("codes", postRenewCodes(codes)) });
    site.set(`${base}/account/codes/off`, { POST: recentForm("codes", postTurnOffCodes(codes)) });
  }
  if (passkeys !== undefined) {
    site.set(`${base}/login/passkey`, { POST: signInForm(postPasskeyLogin(passkeys)) });
    // Of codes and passkeys, what is begun proves a recent sign-in to what completes it.
    const begin = recentForm("passkeys", postBeginPasskey(passkeys), enrollingHere);
    const rename = recentForm("passkeys", postRenamePasskey(passkeys));
    const remove = recentForm("passkeys", postRemovePasskey(passkeys));
    site.set(`${base}/account/passkeys/begin`, { POST: begin });
    site.set(`${base}/account/passkeys/add`, {
      POST: ownForm(postAddPasskey(passkeys), enrollingHere),
    });
    site.set(`${base}/account/passkeys/rename`, { POST: rename });
    site.set(`${base}/account/passkeys/remove`, { POST: remove });
  }
  if (links !== undefined) {
    const post = withForm(ports, postLink(links), unlessSetUp);
    const refusing = refusingCrossSite(ports, post);
    site.set(routeOf(paths, paths.link), {
      GET: withoutReferrer(failingSafely(ports, getLink(ports, links))),
      POST: withoutReferrer(
        failingSafely(ports, (request) => (isOpenedHere(request) ? post : refusing)(request)),
      ),
    });
  }
  if (people !== undefined) addPeople(ports, people, site);
  // The answer shows the key on the home page.
  if (keys !== undefined && paths.home !== null) {
    site.set(`${base}/account/keys/add`, { POST: recentForm("keys", postAddKey(keys)) });
    site.set(`${base}/account/keys/revoke`, { POST: recentForm("keys", postRevokeKey(keys)) });
  }
  const GET = enrolling(ports, (request) => getHome(ports, request));
  for (const path of paths.homes) site.set(path, { GET });
  if (options.standalone && home !== undefined) {
    // Browsers unfold the form that the fragment names.
    site.set(CHANGE_PASSWORD, { GET: () => redirect(`${home}#change-password`) });
  }
  return site;
}

/** The pages for administrators, whose code is loaded on first use. */
function addPeople(ports: WebPorts, people: PeopleRules, site: Map<string, Methods>): void {
  const { people: path } = ports.paths;
  const page = forAdmins(ports, people, async (request) =>
    (await import("./endpoints/people/list.ts")).getPeople(ports, people, request),
  );
  const activity = forAdmins(ports, people, async (request) =>
    (await import("./endpoints/people/activity.ts")).getActivity(ports, people, request),
  );
  site.set(path, { GET: page });
  site.set(`${path}/activity`, { GET: activity });
  for (const action of PEOPLE_ACTIONS) {
    const post = withForm<AdmittedRequest>(ports, async (...given) =>
      (await import("./endpoints/people/actions.ts")).postPeople(people, action)(...given),
    );
    const POST = forAdmins(ports, people, (request) =>
      confirmed(ports, pageOfPeople(ports, request), post)(request),
    );
    site.set(`${path}/${action}`, { POST: refusingCrossSite(ports, POST) });
  }
}

/** Queries the database without any cache and reports whether it answers. */
async function answerReady({ options, requests }: WebPorts): Promise<Answer> {
  try {
    await options.store.users.any();
    return respondText("ready", 200);
  } catch (error) {
    requests.log.warn({ reason: messageOf(error) }, "not ready: the store does not answer");
    return respondText("the store does not answer", 503);
  }
}
