import { isClientGone, messageOf } from "../core/base/fault.ts";
import { orElse } from "../core/base/maybe-promise.ts";
import { type Answer, redirect, respondText } from "./answers/responses.ts";
import { type Endpoint, withRequestId } from "./endpoint.ts";
import { postPassword } from "./endpoints/account.ts";
import { refusingOtherHosts } from "./endpoints/allowed-hosts.ts";
import { postBeginCodes, postConfirmCodes, postTurnOffCodes } from "./endpoints/codes.ts";
import { forwardAuth } from "./endpoints/forward-auth.ts";
import { suffixedForwardAuth } from "./endpoints/forward-auth-suffix.ts";
import { getHome } from "./endpoints/home.ts";
import { getLogin, postLogin } from "./endpoints/login.ts";
import { getMe } from "./endpoints/me.ts";
import { postAddPasskey, postPasskeyLogin, postRemovePasskey } from "./endpoints/passkeys.ts";
import { postEndSession, postLogout } from "./endpoints/sessions.ts";
import { getSetup, postSetup } from "./endpoints/setup.ts";
import { guarded } from "./guards.ts";
import { ALIVE, CHANGE_PASSWORD, FORWARD_AUTH, READY } from "./paths.ts";
import type { FormEndpoint, OwnFormEndpoint, WebPorts } from "./ports.ts";
import { readForm } from "./request/form.ts";
import { isCrossSite } from "./request/same-origin.ts";
import { createProxyWarning, noteRefusal } from "./request/warnings.ts";
import type { WebRequest } from "./request/web-request.ts";

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
    answer: (request) => (table.get(request.path) ?? otherwise)(request),
  };
}

/** The pages and forms: each with its path, its methods, who may use it and what answers. */
function siteRoutes(ports: WebPorts): ReadonlyMap<string, Methods> {
  const { paths, options, requireAuth, proxies, requests } = ports;
  const { base } = paths;
  const { users, sessions, codes, passkeys } = ports.rules;
  const warnOfProxy = createProxyWarning(proxies, requests.log);
  const site = new Map<string, Methods>();

  /** A form of a signed-in user. */
  const ownForm = (post: OwnFormEndpoint): Endpoint =>
    refusingCrossSite(ports, guarded(requireAuth, withForm(ports, post)));
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
    site.set(`${base}/account/codes/begin`, { POST: ownForm(postBeginCodes(codes)) });
    site.set(`${base}/account/codes/confirm`, { POST: ownForm(postConfirmCodes(codes)) });
    site.set(`${base}/account/codes/off`, { POST: ownForm(postTurnOffCodes(codes)) });
  }
  if (passkeys !== undefined) {
    site.set(`${base}/login/passkey`, { POST: signInForm(postPasskeyLogin(passkeys)) });
    site.set(`${base}/account/passkeys/add`, { POST: ownForm(postAddPasskey(passkeys)) });
    site.set(`${base}/account/passkeys/remove`, { POST: ownForm(postRemovePasskey(passkeys)) });
  }
  const GET = guarded(requireAuth, (request) => getHome(ports, request));
  for (const path of paths.homes) site.set(path, { GET });
  const home = paths.homes.at(-1);
  if (options.standalone && home !== undefined) {
    // Browsers unfold the form that the fragment names.
    site.set(CHANGE_PASSWORD, { GET: () => redirect(`${home}#change-password`) });
  }
  return site;
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
