import { isClientGone, messageOf } from "../core/base/fault.ts";
import { andThen, type MaybePromise, orElse } from "../core/base/maybe-promise.ts";
import { type Answer, redirect, respondText, withHeader } from "./answers/responses.ts";
import type { Endpoint } from "./endpoint.ts";
import { postPassword } from "./endpoints/account.ts";
import { answerUnknownPath, isHostChecked, refusingOtherHosts } from "./endpoints/allowed-hosts.ts";
import { postBeginCodes, postConfirmCodes, postTurnOffCodes } from "./endpoints/codes.ts";
import { forwardAuth } from "./endpoints/forward-auth.ts";
import { getHome } from "./endpoints/home.ts";
import { getLogin, postLogin } from "./endpoints/login.ts";
import { postAddPasskey, postPasskeyLogin, postRemovePasskey } from "./endpoints/passkeys.ts";
import { postEndSession, postLogout } from "./endpoints/sessions.ts";
import { getSetup, postSetup } from "./endpoints/setup.ts";
import { guarded } from "./guards.ts";
import { CHANGE_PASSWORD, homePathsOf } from "./paths.ts";
import type { WebPorts } from "./ports.ts";
import { type Form, readForm } from "./request/form.ts";
import { REQUEST_ID } from "./request/request-id.ts";
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
    const endpoint = byMethod(ports, methods);
    add(path, isHostChecked(ports, path) ? refusingOtherHosts(ports, endpoint) : endpoint);
  }
  // The host of these is not checked: load balancers ask for an address, and a reverse proxy asks
  // with the host of the app.
  if (options.health) {
    add(paths.alive, byMethod(ports, { GET: () => respondText("alive", 200) }));
    add(paths.ready, byMethod(ports, { GET: () => answerReady(ports) }));
  }
  if (options.forwardAuth) {
    const GET: Endpoint = (request) => forwardAuth(ports, request);
    // Without `add`: an ID for each request to an app would cost more than the answer.
    table.set(paths.forwardAuth, failingSafely(ports, byMethod(ports, { GET })));
  }
  const unknown = failingSafely(ports, (request) => answerUnknownPath(ports, request));
  return {
    paths: new Set(table.keys()),
    answer: (request) => (table.get(request.path) ?? unknown)(request),
  };
}

/** The pages, forms and assets. */
function siteRoutes(ports: WebPorts): ReadonlyMap<string, Methods> {
  const { paths, options } = ports;
  const { sessions, codes, passkeys } = ports.rules;
  const site = new Map<string, Methods>();
  const warnOfProxy = createProxyWarning(ports.proxies, ports.requests.log);

  /** A form of a signed-in user. */
  const ownForm = <Ports extends WebPorts>(
    given: Ports,
    post: PostForm<Ports, AdmittedRequest>,
  ): Endpoint => refusingCrossSite(ports, guarded(ports.requireAuth, withForm(given, post)));
  // Where a form belongs by the count of accounts, which comes before whether it can be read.
  const unlessSetUp: Elsewhere = async () =>
    (await ports.rules.users.anyExists()) ? undefined : redirect(paths.setup);
  const onceSetUp: Elsewhere = async () =>
    (await ports.rules.users.anyExists()) ? redirect(paths.login) : undefined;
  /** A sign-in, which the rate limit counts by address. */
  const signIn = <Ports extends WebPorts>(
    given: Ports,
    post: PostForm<Ports, WebRequest>,
  ): Endpoint => {
    const endpoint = withForm(given, post, unlessSetUp);
    return refusingCrossSite(ports, (request) => {
      warnOfProxy(request);
      return endpoint(request);
    });
  };

  site.set(paths.login, {
    GET: (request) => getLogin(ports, request),
    POST: signIn(ports, postLogin),
  });
  site.set(paths.setup, {
    GET: (request) => getSetup(ports, request),
    POST: showingFaults(ports, refusingCrossSite(ports, withForm(ports, postSetup, onceSetUp))),
  });
  site.set(paths.logout, {
    POST: refusingCrossSite(ports, (request) => postLogout(ports, request)),
  });
  site.set(paths.password, { POST: showingFaults(ports, ownForm(ports, postPassword)) });
  if (sessions !== undefined) {
    site.set(paths.endSession, { POST: ownForm({ ...ports, sessions }, postEndSession) });
  }
  // The forms of one-time codes are only on the home page.
  if (codes !== undefined && paths.home !== null) {
    const given = { ...ports, codes };
    site.set(paths.beginCodes, { POST: ownForm(given, postBeginCodes) });
    site.set(paths.confirmCodes, { POST: ownForm(given, postConfirmCodes) });
    site.set(paths.turnOffCodes, { POST: ownForm(given, postTurnOffCodes) });
  }
  if (passkeys !== undefined) {
    const given = { ...ports, passkeys };
    site.set(paths.passkeyLogin, { POST: signIn(given, postPasskeyLogin) });
    site.set(paths.addPasskey, { POST: ownForm(given, postAddPasskey) });
    site.set(paths.removePasskey, { POST: ownForm(given, postRemovePasskey) });
  }
  for (const [path, GET] of ports.assets) site.set(path, { GET });
  const homes = homePathsOf(paths, options);
  const GET = guarded(ports.requireAuth, (request) => getHome(ports, request));
  for (const path of homes) site.set(path, { GET });
  const lastHome = homes.at(-1);
  if (options.siteFiles && lastHome !== undefined) {
    // Browsers unfold the form that the fragment names.
    site.set(CHANGE_PASSWORD, { GET: () => redirect(`${lastHome}#change-password`) });
  }
  return site;
}

/** Answers 405 to other methods, with those that are allowed. */
function byMethod({ views }: WebPorts, { GET, POST }: Methods): Endpoint {
  const allow = [...(GET ? ["GET", "HEAD"] : []), ...(POST ? ["POST"] : [])].join(", ");
  const endpoints = new Map(Object.entries({ GET, HEAD: GET, POST }));
  const refuse: Endpoint = (request) =>
    views.error(request, 405, "methodNotAllowed", { Allow: allow });
  return (request) => (endpoints.get(request.method) ?? refuse)(request);
}

/** Turns a failure into the error page. */
function failingSafely({ views }: WebPorts, endpoint: Endpoint, shown?: "what-failed"): Endpoint {
  const failed = (thrown: unknown, request: WebRequest): Promise<Answer> =>
    // Not logged: any client could fill the server log by disconnecting.
    isClientGone(thrown)
      ? views.error(request, 400, "formNotWhole")
      : views.fault(request, thrown, shown);
  return orElse(endpoint, failed);
}

/** The same for setup and password change, whose pages show what failed. */
const showingFaults = (ports: WebPorts, endpoint: Endpoint): Endpoint =>
  failingSafely(ports, endpoint, "what-failed");

/** Adds the request's ID to the answer and to lines in the server log. */
const withRequestId =
  ({ requests }: WebPorts, endpoint: Endpoint): Endpoint =>
  (request) =>
    requests.run(request, (id) =>
      andThen(endpoint(request), (answer) => withHeader(answer, REQUEST_ID, id)),
    );

/** Queries the database without any cache and reports whether it answers. */
async function answerReady({ options, requests }: WebPorts): Promise<Answer> {
  try {
    await options.store.hasUsers();
    return respondText("ready", 200);
  } catch (error) {
    requests.log.warn({ reason: messageOf(error) }, "not ready: the store does not answer");
    return respondText("the store does not answer", 503);
  }
}

function refusingCrossSite(ports: WebPorts, endpoint: Endpoint): Endpoint {
  return (request) => {
    const isForeign = isCrossSite(request, ports.options.trustedOrigins);
    if (!isForeign) return endpoint(request);
    noteRefusal(ports, request, "form of another site refused");
    return ports.views.error(request, 403, "crossSite");
  };
}

type PostForm<Ports, Request> = (
  ports: Ports,
  request: Request,
  form: Form,
) => MaybePromise<Answer>;

/** The answer to a form that is sent to the wrong path; `undefined` for the right one. */
type Elsewhere = () => Promise<Answer | undefined>;

/** Calls the endpoint with the form; refuses a body that cannot be read as one. */
function withForm<Ports extends WebPorts, Request extends WebRequest>(
  ports: Ports,
  post: PostForm<Ports, Request>,
  elsewhere: Elsewhere = async () => undefined,
): (request: Request) => Promise<Answer> {
  return async (request) => {
    const reading = await readForm(request);
    switch (reading.kind) {
      case "form":
        return post(ports, request, reading.form);
      case "too-large":
        noteRefusal(ports, request, "unreadable form refused");
        return ports.views.error(request, 413, "formTooLarge");
      case "not-utf8": {
        const redirected = await elsewhere();
        if (redirected !== undefined) return redirected;
        noteRefusal(ports, request, "unreadable form refused");
        return ports.views.error(request, 400, "formNotUtf8");
      }
      case "aborted":
        return ports.views.error(request, 400, "formNotWhole");
    }
  };
}
