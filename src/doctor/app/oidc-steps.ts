import { splitList } from "../../features/apps/app-fields.ts";
import { checkRedirect } from "../../features/apps/app-urls.ts";
import { CLAIMS_OF_SCOPES, toClaims } from "../../features/oidc/claims.ts";
import {
  type CodeUse,
  findCodeUse,
  type TokenRefusal,
} from "../../features/oidc/token-refusals.ts";
import { isLoopbackHost } from "../../lib/loopback.ts";
import type { OidcWay } from "../../recipes/recipe.ts";
import type { Beginning } from "./begin-sign-in.ts";
import { explainFailure, reachGate } from "./explain-failure.ts";
import { findPostedForm, hasPasswordField, hasScripts, listEntrances, readText } from "./html.ts";
import { failed, passed, type StepReport, shorten, showUrl, skipped } from "./report.ts";
import type { SiteBrowser, Visit } from "./site-browser.ts";
import { isAuthorizationRequest, isSignInPage, type Subject } from "./subject.ts";

/** Checks what the app asks for. Several things can be wrong. */
export function checkRequest(subject: Subject, request: URL): readonly StepReport[] {
  const { app } = subject;
  const parameters = request.searchParams;
  const wrong = [
    checkIssuer(subject, request),
    checkClientId(subject, parameters.get("client_id") ?? ""),
  ].filter((report) => report !== undefined);
  // What follows belongs to another provider, or is not in the request.
  if (wrong.length > 0) return wrong;
  if (parameters.has("request_uri"))
    return [passed("request", `${app.name} has sent its request to the gate before`)];
  const others = [
    checkResponseType(parameters.get("response_type") ?? ""),
    checkRedirectUri(subject, parameters.get("redirect_uri")),
    checkScopes(subject, (parameters.get("scope") ?? "").split(/\s+/)),
    checkChallenge(subject, parameters),
  ].filter((report) => report !== undefined);
  if (others.length > 0) return others;
  return [
    passed(
      "request",
      `issuer, client ID, redirect address and scopes fit (${showScopes(parameters)})`,
    ),
  ];
}

const showScopes = (parameters: URLSearchParams): string => shorten(parameters.get("scope") ?? "");

/** Names the part of the address that differs from the issuer. */
function checkIssuer({ app, publicUrl }: Subject, request: URL): StepReport | undefined {
  const parts = [
    ["scheme", request.protocol, publicUrl.protocol],
    ["host", request.hostname, publicUrl.hostname],
    ["port", request.port, publicUrl.port],
    ["path", request.pathname, "/oidc/authorize"],
  ] as const;
  const different = parts.filter(([, actual, expected]) => actual !== expected);
  if (different.length === 0) return undefined;
  const names = different.map(([name]) => name).join(", ");
  return failed(
    "request",
    `${app.name} asks ${showUrl(request)} instead of ${publicUrl.origin}/oidc/authorize (other ${names})`,
    `enter the issuer in ${app.name} to the letter: ${publicUrl.origin} (discovery URL: ${publicUrl.origin}/.well-known/openid-configuration)`,
  );
}

const checkClientId = ({ app }: Subject, id: string): StepReport | undefined =>
  id === app.id
    ? undefined
    : failed(
        "request",
        `${app.name} sends the client ID ${JSON.stringify(shorten(id))} instead of ${JSON.stringify(app.id)}`,
        `enter the client ID ${app.id} in ${app.name}, or check the app that has the other ID`,
      );

const checkResponseType = (type: string): StepReport | undefined =>
  type === "code"
    ? undefined
    : failed(
        "request",
        `the app asks for the response type ${JSON.stringify(shorten(type))}`,
        "choose the authorization code flow in the app (response type: code)",
      );

function checkRedirectUri({ app, url }: Subject, uri: string | null): StepReport | undefined {
  const known = splitList(app.redirects);
  if (uri === null) {
    const remedy = "enter the redirect address in the app, or the address at which people open it";
    return failed("request", `${app.name} sends no redirect address`, remedy);
  }
  if (known.some((each) => isSameRedirect(each, uri, app.clientType === "public")))
    return undefined;
  const shown = JSON.stringify(shorten(uri));
  const found = `the redirect address ${shown} is not one of ${app.name}'s addresses (${shorten(known.join(", ")) || "it has none"})`;
  const parsed = URL.parse(uri);
  const sameButScheme = known.find(
    (each) => each.replace(/^https:/, "") === uri.replace(/^http:/, "") && each !== uri,
  );
  if (sameButScheme !== undefined)
    return failed(
      "request",
      found,
      `${app.name} takes itself for http: have the proxy send X-Forwarded-Proto, have the app trust the proxy, and set its own address to ${url.origin}`,
    );
  if (parsed === null || checkRedirect(uri) !== undefined)
    return failed(
      "request",
      found,
      `no app can have this address: set the address of ${app.name} itself, in its settings, to ${url.origin}`,
    );
  const command = formatCommand(["app", "change", app.id, ...[...known, uri].flatMap(toOption)]);
  const hosts = [url.href, ...known].flatMap((each) => URL.parse(each)?.host || []);
  const isElsewhere = parsed.host !== "" && !hosts.includes(parsed.host);
  return failed(
    "request",
    found,
    isElsewhere
      ? `correct the address in the settings of ${app.name}; only if ${parsed.host} belongs to it, run ${command}`
      : `run ${command}`,
  );
}

const toOption = (uri: string): readonly string[] => ["--redirect", uri];

/** A shell must not read more than the words themselves. */
const formatCommand = (words: readonly string[]): string =>
  ["latchkey", ...words]
    .map((word) => (/^[\w:/.@%+,=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(" ");

/** A public client on this machine can listen on any port. */
function isSameRedirect(known: string, uri: string, isPublic: boolean): boolean {
  if (known === uri) return true;
  const [one, other] = [URL.parse(known), URL.parse(uri)];
  if (!isPublic || one === null || other === null) return false;
  if (one.protocol !== "http:" || !isLoopbackHost(one.hostname)) return false;
  one.port = other.port;
  return one.href === other.href;
}

function checkScopes(subject: Subject, scopes: readonly string[]): StepReport | undefined {
  const { app } = subject;
  const wanted = new Set(["openid", ...listRequiredClaims(subject).flatMap(toScope)]);
  const missing = [...wanted].filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return undefined;
  return failed(
    "request",
    `${app.name} does not ask for the scope ${missing.join(" and ")}`,
    `enter these scopes in ${app.name}: ${[...new Set([...wanted, ...scopes.filter(Boolean)])].join(" ")}`,
  );
}

const toScope = (claim: string): readonly string[] =>
  Object.keys(CLAIMS_OF_SCOPES).filter((scope) => CLAIMS_OF_SCOPES[scope]?.includes(claim));

function checkChallenge({ app }: Subject, parameters: URLSearchParams): StepReport | undefined {
  const method = parameters.get("code_challenge_method");
  const hasChallenge = parameters.has("code_challenge");
  if (hasChallenge && method !== "S256")
    return failed(
      "request",
      `${app.name} uses PKCE with the method ${JSON.stringify(shorten(method ?? "plain"))}`,
      "set the method of PKCE to S256 in the app",
    );
  return app.clientType === "public" && !hasChallenge
    ? failed(
        "request",
        `${app.name} is a public client and sends no code challenge`,
        "turn on PKCE (S256) in the app",
      )
    : undefined;
}

const getOidcWay = ({ recipe }: Subject): OidcWay | undefined =>
  recipe?.way?.way === "oidc" ? recipe.way : undefined;

function listRequiredClaims(subject: Subject): readonly string[] {
  const claims = getOidcWay(subject)?.claims ?? {};
  return Object.entries(claims).flatMap(([name, { need }]) => (need === "required" ? name : []));
}

/** Contains how the code goes to the app. */
export interface Returned {
  readonly report: StepReport;
  readonly answer:
    | { readonly code: string; readonly url: URL; readonly form: URLSearchParams | undefined }
    | undefined;
}

/** Sends the request of the app to the gate. */
export async function getCode(
  subject: Subject,
  browser: SiteBrowser,
  request: URL,
): Promise<Returned> {
  const { app, publicUrl } = subject;
  const visit = await browser.open(request, {
    until: (url) => isSignInPage(subject)(url) || url.origin !== publicUrl.origin || hasAnswer(url),
  });
  const stop = (report: StepReport): Returned => ({ report, answer: undefined });
  switch (visit.kind) {
    case "failed": {
      const { found, remedy } = explainFailure(visit.error);
      return stop(failed("code", `${showUrl(visit.url)} cannot be reached: ${found}`, remedy));
    }
    case "circle":
      return stop(
        failed("code", "the gate redirects in a circle", "look into the server log of the gate"),
      );
    case "left":
    case "stopped":
      if (isSignInPage(subject)(visit.url)) return stop(askAgain(subject));
      return readAnswer(subject, visit.url, visit.url.searchParams, undefined);
    case "answered": {
      const form = findPostedForm(visit.body, visit.url);
      if (visit.status < 400 && form?.form && hasAnswer(form.url, form.form))
        return readAnswer(subject, form.url, form.form, form.form);
      if (visit.status < 400 && visit.url.pathname.startsWith("/oidc/interaction/"))
        return stop(
          skipped(
            "code",
            `the gate asks the person what ${app.name} may learn, and this command does not agree for a person`,
            `agree once in a browser as ${subject.user.username}, and run this again; or ask nobody: latchkey app change ${app.id} --no-consent`,
          ),
        );
      return stop(
        failed(
          "code",
          `the gate refuses the request (${visit.status}): ${JSON.stringify(shorten(readText(visit.body)))}`,
          `correct the settings of ${app.name}: docs/apps.md explains these pages`,
        ),
      );
    }
  }
}

/** Some apps want a new sign-in each time, which only a person can do. */
const askAgain = ({ app }: Subject): StepReport =>
  skipped(
    "code",
    `${app.name} asks for a new sign-in or a second factor each time (prompt, max_age or acr_values)`,
    "sign in to the app in a browser; this command cannot enter a password",
  );

const hasAnswer = (url: URL, parameters: URLSearchParams = url.searchParams): boolean =>
  parameters.has("code") || (parameters.has("error") && !isAuthorizationRequest(url));

function readAnswer(
  { app }: Subject,
  url: URL,
  parameters: URLSearchParams,
  form: URLSearchParams | undefined,
): Returned {
  const fragment = new URLSearchParams(url.hash.slice(1));
  const code = parameters.get("code");
  if (code !== null && /^https?:$/.test(url.protocol))
    return {
      report: passed("code", `the gate sends a code to ${showUrl(url)}`),
      answer: { code, url, form },
    };
  if (code !== null || fragment.has("code")) {
    const who = code === null ? "a script of the page" : "a program on a device";
    const report = skipped(
      "code",
      `the gate sends the code to ${showUrl(url)}, where ${who} takes it`,
      `sign in to ${app.name} once: this command runs neither scripts nor programs`,
    );
    return { report, answer: undefined };
  }
  const error = parameters.get("error") ?? fragment.get("error") ?? "no code";
  const description =
    parameters.get("error_description") ?? fragment.get("error_description") ?? "";
  const report = failed(
    "code",
    `the gate answers the app with ${shorten(error)}: ${shorten(description)}`,
    `correct the settings of ${app.name} that this names`,
  );
  return { report, answer: undefined };
}

/** Contains what the app does with the code. */
export interface Redeemed {
  readonly report: StepReport;
  readonly visit: Visit;
}

/** Brings the code to the app, and reads from the provider what the app did with it. */
export async function redeemCode(
  subject: Subject,
  browser: SiteBrowser,
  { code, url, form }: NonNullable<Returned["answer"]>,
): Promise<Redeemed> {
  const visit = await browser.open(url, {
    ...{ form, from: subject.publicUrl },
    until: isAuthorizationRequest,
  });
  const use = await findCodeUse(subject.store, code);
  return { report: judgeUse(subject, use, visit), visit };
}

function judgeUse(subject: Subject, use: CodeUse, visit: Visit): StepReport {
  const { app, publicUrl } = subject;
  switch (use.kind) {
    case "redeemed":
      return passed("tokens", `${app.name} has got its tokens`);
    case "refused":
      return explainRefusal(subject, use.refusal);
    case "unknown":
      return failed(
        "tokens",
        "the database of these settings does not contain the code, so the gate uses another one",
        "run this with the settings of that gate (the same environment or --env-file)",
      );
    case "unused":
      break;
  }
  const end = describeEnd(visit);
  if (visit.kind === "failed")
    return failed(
      "tokens",
      `${app.name} asked for no tokens, and its redirect address gave no answer: ${end}`,
      `its server waits for something it cannot reach, probably the gate: ${reachGate(publicUrl)}`,
    );
  if (visit.kind === "answered" && visit.status < 400 && hasScripts(visit.body))
    return skipped(
      "tokens",
      `${showUrl(visit.url)} has the code, and no request for tokens has arrived: a script of the page may send it on`,
      `sign in to ${app.name} in a browser. If that fails, its server cannot reach the gate: ${reachGate(publicUrl)}`,
    );
  return failed(
    "tokens",
    `no request for tokens has arrived at the gate, and ${end}`,
    `the server of ${app.name} cannot reach the gate: ${reachGate(publicUrl)}. If it can, its log says why it refused the answer (such as a lost state cookie)`,
  );
}

function describeEnd(visit: Visit): string {
  switch (visit.kind) {
    case "answered":
      return `${showUrl(visit.url)} returns ${visit.status}`;
    case "failed":
      return `${showUrl(visit.url)} fails (${explainFailure(visit.error).found})`;
    case "circle":
      return `it redirects in a circle at ${showUrl(visit.url)}`;
    case "left":
    case "stopped":
      return `it leads to ${showUrl(visit.url)}`;
  }
}

function explainRefusal({ app }: Subject, { reason, description }: TokenRefusal): StepReport {
  const fail = (found: string, remedy: string): StepReport =>
    failed("tokens", `the gate gave ${app.name} no tokens: ${found}`, remedy);
  const { name } = app;
  switch (reason) {
    case "client-unknown":
      return fail(
        "its server sent a client ID that no app has",
        `enter the client ID ${app.id} in ${name}, also where its server reads it`,
      );
    case "client-other":
      return fail(
        "its server sent the client ID of another app",
        `enter the client ID ${app.id} in ${name}, also where its server reads it`,
      );
    case "secret-wrong":
      return fail(
        "the client secret is wrong",
        `enter the right one in ${name}, without spaces around it; if nobody has it, make another: latchkey app secret ${app.id}`,
      );
    case "secret-missing":
      return fail(
        "it sent no client secret",
        `enter the client secret in ${name}, and choose client_secret_basic or client_secret_post; if it cannot keep a secret: latchkey app change ${app.id} --public`,
      );
    case "secret-unexpected":
      return fail(
        "it sent a client secret, and is a public client here",
        `remove the secret in ${name}, or make one: latchkey app change ${app.id} --no-public`,
      );
    case "authentication-malformed":
      return fail(
        `its client authentication cannot be read (${shorten(description)})`,
        `choose client_secret_basic or client_secret_post in ${name}, not both, and enter ID and secret without spaces around them`,
      );
    case "pkce":
      return fail(
        "the code verifier of PKCE does not fit the code challenge",
        `${name} has lost or changed it between the two requests: check that it has one address only (no second host or scheme), and that its session cookie returns; if several instances run, they must share their sessions`,
      );
    case "redirect-other":
      return fail(
        "it sent another redirect address with the code than before",
        `set the address of ${name} itself, in its settings, so that both requests have the same one`,
      );
    case "code-expired":
      return fail(
        "it sent the code after more than a minute",
        `find out why ${name} is so slow: its server may wait for a name server or a proxy`,
      );
    case "code-used":
      return fail(
        "it sent the code twice, so the gate revoked the tokens",
        `find out what repeats the request: a proxy that retries, two instances, or a page that loads twice`,
      );
    case "session-ended":
      return fail("the session of the check has ended meanwhile", "run this again");
    case "other":
      return fail(shorten(description), `look into the log of ${name}`);
  }
}

/** Checks whether the account has what the app requires. */
export function checkClaims(subject: Subject): StepReport {
  const { user, app, recipe } = subject;
  if (getOidcWay(subject) === undefined)
    return skipped(
      "claims",
      "there is no recipe for this app, so it is not known which claims it requires",
      `latchkey app recipes lists them: latchkey app check ${app.id} --recipe ID`,
    );
  const name = recipe?.name ?? app.name;
  const required = listRequiredClaims(subject);
  const claims: Readonly<Record<string, unknown>> = { ...toClaims(user) };
  const missing = required.filter((claim) => {
    const value = claims[claim] ?? "";
    // An address that is not verified has the claim email_verified with the value false.
    return value === "" || value === false || (Array.isArray(value) && value.length === 0);
  });
  if (missing.length > 0)
    return failed(
      "claims",
      `${name} requires ${missing.join(" and ")}, and ${user.username} has none`,
      `give the account one, choose another account with --as, or have ${name} read another claim, such as preferred_username`,
    );
  return passed(
    "claims",
    required.length === 0 ? `${name} requires none` : `${user.username} has ${required.join(", ")}`,
  );
}

/** Checks whether the app lets the browser in after it has got tokens. */
export async function checkEntrance(
  subject: Subject,
  browser: SiteBrowser,
  before: Visit,
  { by }: Beginning,
  returned: Visit,
): Promise<StepReport> {
  const { app, user } = subject;
  const refused = (found: string): StepReport =>
    failed("app", `${app.name} has got tokens, and ${found}`, compare(subject));
  if (returned.kind === "answered" && returned.status < 400) {
    if (returned.url.searchParams.has("error"))
      return refused(`reports an error at ${showUrl(returned.url)}`);
  } else return refused(describeEnd(returned));
  const after = await browser.open(subject.url, { until: isAuthorizationRequest });
  if (after.kind === "stopped") return refused("begins the sign-in again");
  if (after.kind !== "answered" || after.status >= 400) return refused(describeEnd(after));
  if (hasPasswordField(after.body)) return refused("shows its own sign-in again");
  const isThere =
    by !== "opening" &&
    listEntrances(after.body, after.url).some(
      ({ url }) => url.origin === by.url.origin && url.pathname === by.url.pathname,
    );
  if (isThere) return refused(`still shows the link to its sign-in at ${showUrl(after.url)}`);
  if (before.kind === "answered" && before.body === after.body && hasScripts(after.body))
    return skipped(
      "app",
      `${app.name} has got tokens; its page is made by scripts, so this cannot see whether ${user.username} is signed in`,
      "open the app in a browser",
    );
  return passed("app", `${app.name} lets ${user.username} in: ${describeEnd(after)}`);
}

const compare = ({ app, publicUrl }: Subject): string =>
  `compare the issuer in ${app.name} to the letter (${publicUrl.origin}, without a slash at the end), its clock, the signing algorithm (${app.signing ?? "RS256"}), the names of the claims (such as preferred_username), and whether it may create accounts; its log says which`;
