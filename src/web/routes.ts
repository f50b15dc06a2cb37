import { isClientGone, messageOf } from "../core/base/fault.ts";
import { andThen, orElse } from "../core/base/maybe-promise.ts";
import { noticeCookie } from "./answers/notice.ts";
import { type Answer, redirect, respondText } from "./answers/responses.ts";
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
import { getHome } from "./endpoints/home.ts";
import { postAddKey, postRevokeKey } from "./endpoints/keys.ts";
import { getLink, isOpenedHere, postLink, withoutReferrer } from "./endpoints/links.ts";
import { getLogin, postLogin } from "./endpoints/login.ts";
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
import { ALIVE, CHANGE_PASSWORD, FORWARD_AUTH, READY, routeOf } from "./paths.ts";
import type { FormEndpoint, OwnFormEndpoint, PeopleRules, WebPorts } from "./ports.ts";
import { readForm } from "./request/form.ts";
import { kindOfRequest } from "./request/request-kind.ts";
import { isCrossSite } from "./request/same-origin.ts";
import { createProxyWarning, noteRefusal } from "./request/warnings.ts";
import type { AdmittedRequest, WebRequest } from "./request/web-request.ts";

/** The endpoints of a path by method. HEAD is answered as GET, and its body is not sent. */
interface Methods {
  readonly GET?: Endpoint;
  readonly POST?: Endpoint;
}

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

  /** After a form of a session that has ended, the sign-in page says so. */
  const formOfUser = (endpoint: OwnEndpoint): Endpoint => {
    const answer = guarded(requireAuth, endpoint);
    return refusingCrossSite(ports, (request) =>
      andThen(answer(request), (answered) => sayingExpired(ports, request, answered)),
    );
  };
  /** A form of a signed-in user. */
  const ownForm = (post: OwnFormEndpoint): Endpoint => formOfUser(withForm(ports, post));
  const home = paths.homes.at(-1);
  /** The same with a recent sign-in, which leads back to a section of the home page. */
  const recentForm = (section: string, post: OwnFormEndpoint): Endpoint =>
    formOfUser(confirmed(ports, home && `${home}#your-${section}`, withForm(ports, post)));
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
  // The forms of one-time codes are only on the home page.
  if (codes !== undefined && paths.home !== null) {
    site.set(`${base}/account/codes/begin`, { POST: recentForm("codes", postBeginCodes(codes)) });
    site.set(`${base}/account/codes/confirm`, { POST: ownForm(postConfirmCodes(codes)) });
    site.set(`${base}/account/codes/renew`, { POST: recentForm("codes", postRenewCodes(codes)) });
    site.set(`${base}/account/codes/off`, { POST: recentForm("codes", postTurnOffCodes(codes)) });
  }
  if (passkeys !== undefined) {
    site.set(`${base}/login/passkey`, { POST: signInForm(postPasskeyLogin(passkeys)) });
    // Of codes and passkeys, what is begun proves a recent sign-in to what completes it.
    const begin = recentForm("passkeys", postBeginPasskey(passkeys));
    const rename = recentForm("passkeys", postRenamePasskey(passkeys));
    const remove = recentForm("passkeys", postRemovePasskey(passkeys));
    site.set(`${base}/account/passkeys/begin`, { POST: begin });
    site.set(`${base}/account/passkeys/add`, { POST: ownForm(postAddPasskey(passkeys)) });
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
  const GET = guarded(requireAuth, (request) => getHome(ports, request));
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

/** Answers 405 to other methods, with those that are allowed. */
function byMethod({ views }: WebPorts, { GET, POST }: Methods): Endpoint {
  const Allow = [...(GET ? ["GET", "HEAD"] : []), ...(POST ? ["POST"] : [])].join(", ");
  const endpoints = new Map(Object.entries({ GET, HEAD: GET, POST }));
  return (request) =>
    endpoints.get(request.method)?.(request) ??
    views.error(request, 405, "methodNotAllowed", { Allow });
}

/** Turns a failure into the error page. */
function failingSafely({ views }: WebPorts, endpoint: Endpoint, shown?: "what-failed"): Endpoint {
  return orElse(endpoint, (thrown, request) =>
    // Not logged: any client could fill the server log by disconnecting.
    isClientGone(thrown)
      ? views.error(request, 400, "formNotWhole")
      : views.fault(request, thrown, shown),
  );
}

/** The same for setup and password change, whose pages show what failed. */
const showingFaults = (ports: WebPorts, endpoint: Endpoint): Endpoint =>
  failingSafely(ports, endpoint, "what-failed");

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

/** Only for browsers that show the next page. */
function sayingExpired({ paths }: WebPorts, request: WebRequest, answer: Answer): Answer {
  const isForm = kindOfRequest(request.method, request) === "form";
  if (!isForm || answer.headers.Location !== paths.login) return answer;
  return {
    ...answer,
    cookies: [...answer.cookies, noticeCookie(request, paths.login, "sessionExpired")],
  };
}

function refusingCrossSite(ports: WebPorts, endpoint: Endpoint): Endpoint {
  const { trustedOrigins, publicUrl } = ports.options.hosts;
  const trusted = trustedOrigins.concat(publicUrl ?? []);
  return (request) => {
    if (!isCrossSite(request, trusted)) return endpoint(request);
    noteRefusal(ports, request, "form of another site refused");
    return ports.views.error(request, 403, "crossSite");
  };
}

/** The answer to a form that is sent to the wrong path; `undefined` for the right one. */
type Elsewhere = () => Promise<Answer | undefined>;

/** Calls the endpoint with the form; refuses a body that cannot be read as one. */
function withForm<Request extends WebRequest>(
  ports: WebPorts,
  post: FormEndpoint<Request>,
  elsewhere: Elsewhere = async () => undefined,
): (request: Request) => Promise<Answer> {
  const { views } = ports;
  return async (request) => {
    const form = await readForm(request);
    switch (form) {
      case "too-large":
        noteRefusal(ports, request, "unreadable form refused");
        return views.error(request, 413, "formTooLarge");
      case "not-utf8": {
        const redirected = await elsewhere();
        if (redirected !== undefined) return redirected;
        noteRefusal(ports, request, "unreadable form refused");
        return views.error(request, 400, "formNotUtf8");
      }
      case "aborted":
        return views.error(request, 400, "formNotWhole");
      default:
        return post(ports, request, form);
    }
  };
}
