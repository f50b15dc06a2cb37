import { judgeUser } from "../../features/apps/app-directory.ts";
import { findMissingScope } from "../../lib/session-reach.ts";
import { explainFailure } from "./explain-failure.ts";
import { hasPasswordField, readText } from "./html.ts";
import { failed, passed, type StepReport, shorten, showUrl, skipped } from "./report.ts";
import type { SiteBrowser, Visit } from "./site-browser.ts";
import { isAuthorizationRequest, isSignInPage, openBrowser, type Subject } from "./subject.ts";

/** Without a session, nothing behind this proxy status is known. */
const BAD_GATEWAY = [502, 503, 504];
/** Clocks that differ more make tokens expire early, or appear to be from the future. */
const MAX_SKEW_MS = 30_000;
const FORWARDED = {
  "Remote-User": "username",
  "Remote-Groups": "groups",
  "Remote-Name": "name",
  "Remote-Email": "email",
} as const;

const PRINTED =
  "use the configuration that latchkey proxy prints for your proxy (latchkey proxy caddy, nginx, traefik or haproxy)";
const ONLY_PROXY = "let nothing but the proxy reach the app itself";

const stopsAt = (subject: Subject) => {
  const isSignIn = isSignInPage(subject);
  return (url: URL): boolean => isSignIn(url) || isAuthorizationRequest(url);
};

/** Opens the app without a session, and follows redirects to the sign-in page. */
export const visitPlainly = (
  subject: Subject,
  headers: Readonly<Record<string, string>> = {},
): Promise<Visit> => openBrowser(subject).open(subject.url, { until: stopsAt(subject), headers });

/** Opens the sign-in page of the gate without a session. */
export const visitGate = (subject: Subject): Promise<Visit> =>
  openBrowser(subject).open(new URL("/login", subject.publicUrl));

/** Checks whether the app answers at its URL. */
export function checkAddress({ url, app }: Subject, visit: Visit): StepReport {
  const [first] = visit.hops;
  if (first === undefined && visit.kind === "failed") {
    const { found, remedy } = explainFailure(visit.error);
    return failed("address", `${showUrl(url)} cannot be reached: ${found}`, remedy);
  }
  if (first !== undefined && BAD_GATEWAY.includes(first.status))
    return failed("address", describeBadGateway(url, first.status), startUpstream(app.upstream));
  return passed("address", `${showUrl(url)} answers`);
}

const describeBadGateway = (url: URL, status: number): string =>
  `the proxy at ${url.origin} runs, and the upstream behind it does not answer: it returns ${status}`;

const startUpstream = (upstream: string | undefined): string =>
  `start the app, and check that the proxy forwards to where it listens${upstream === undefined ? "" : ` (${upstream})`}; if the proxy asks the gate, check that it reaches the gate`;

/** Checks whether the gate answers at its URL. */
export function checkGate({ publicUrl }: Subject, visit: Visit): StepReport {
  const { origin } = publicUrl;
  if (visit.kind === "failed") {
    const { found, remedy } = explainFailure(visit.error);
    return failed("gate", `PUBLIC_URL is ${origin}, which cannot be reached: ${found}`, remedy);
  }
  const isGate = visit.kind === "answered" && visit.status === 200 && hasPasswordField(visit.body);
  if (isGate) return passed("gate", `the gate answers at ${origin}`);
  const status = visit.kind === "answered" ? `it returns ${visit.status}` : "it leads elsewhere";
  return failed(
    "gate",
    `PUBLIC_URL is ${origin}, and no sign-in page is there: ${status}`,
    "correct PUBLIC_URL, or have the proxy forward this host to the gate; latchkey doctor --url checks it",
  );
}

/** Checks the clocks of the app and the gate by the dates of their responses. */
export function checkClock({ app }: Subject, plain: Visit, gate: Visit): StepReport {
  const answers = [
    [`the server of ${app.name}`, plain.hops[0]],
    ["the server of the gate", gate.hops[0]],
  ] as const;
  const skews = answers.flatMap(([name, hop]) => {
    const sent = Date.parse(hop?.headers.date ?? "");
    return hop === undefined || Number.isNaN(sent) ? [] : [{ name, skew: sent - hop.at }];
  });
  if (skews.length === 0) return skipped("clock", "no response contains a date");
  const wrong = skews.filter(({ skew }) => Math.abs(skew) > MAX_SKEW_MS);
  if (wrong.length === 0) return passed("clock", "the clocks agree");
  const found = wrong.map(({ name, skew }) => {
    const seconds = Math.round(Math.abs(skew) / 1_000);
    return `the clock of ${name} is ${seconds} seconds ${skew > 0 ? "ahead of" : "behind"} this machine`;
  });
  return failed(
    "clock",
    found.join(", and "),
    "set the clocks by a time server (NTP): with a wrong clock, an app takes tokens for expired or not valid yet",
  );
}

/** Checks whether the proxy asks the gate before it lets anybody through to the app. */
export function checkGuard(subject: Subject, visit: Visit): StepReport {
  const { app, url, publicUrl } = subject;
  const isSignIn = isSignInPage(subject);
  if (visit.kind === "stopped" && visit.url.pathname === "/setup" && isSignIn(visit.url))
    return failed(
      "guard",
      "the gate has no account yet",
      "create the first one: latchkey setup-link",
    );
  if (visit.kind === "stopped" && isSignIn(visit.url))
    return passed("guard", `without a session, ${showUrl(url)} leads to ${showUrl(visit.url)}`);
  const found = describeUnguarded(subject, visit);
  if (app.clientType !== undefined)
    return passed("guard", `${found}; it signs people in itself, with OpenID Connect`);
  const gate = `${publicUrl.origin}/login`;
  return failed(
    "guard",
    `not guarded: without a session, ${found} instead of leading to ${gate}`,
    `${PRINTED}, so that it asks the gate before each request, and ${ONLY_PROXY}`,
  );
}

/** Says where a visitor without a session gets. */
function describeUnguarded({ app, url }: Subject, visit: Visit): string {
  const shown = showUrl(url);
  switch (visit.kind) {
    case "stopped":
    case "left":
      return `${shown} leads to ${showUrl(visit.url)}`;
    case "circle":
      return `${shown} redirects in a circle, at last to ${showUrl(visit.url)}`;
    case "failed":
      return `${showUrl(visit.url)} fails (${explainFailure(visit.error).found})`;
    case "answered": {
      const at = showUrl(visit.url);
      if (visit.status === 401 || visit.status === 403) return `${at} refuses with ${visit.status}`;
      if (visit.status >= 400) return `${at} returns ${visit.status}`;
      return hasPasswordField(visit.body)
        ? `${at} shows the sign-in of ${app.name}`
        : `${at} answers without a sign-in`;
    }
  }
}

/** Checks whether a header that names a user counts when a visitor sends it. */
export async function checkHeaders(subject: Subject, plain: Visit): Promise<StepReport> {
  const { user, recipe } = subject;
  const way = recipe?.way;
  const names = way?.way === "headers" ? Object.entries(way.headers) : [];
  const values = {
    username: user.username,
    groups: "admins",
    name: user.name ?? user.username,
    email: user.email ?? user.username,
  };
  const listed = [...Object.entries(FORWARDED), ...names].map(
    ([name, kind]): readonly [string, string] => [name, values[kind]],
  );
  // Some servers read `Remote_User` as the same header, and some proxies remove only one of them.
  const forged = Object.fromEntries(
    listed.flatMap(([name, value]) =>
      [name, name.replaceAll("-", "_")].map((each) => [each, encodeURIComponent(value)]),
    ),
  );
  const visit = await visitPlainly(subject, forged);
  const shown = [...new Set(listed.map(([name]) => name))].join(", ");
  if (visit.kind === "failed" && plain.kind !== "failed") {
    return skipped(
      "headers",
      `the request with ${shown} got no response: ${explainFailure(visit.error).found}`,
    );
  }
  const better = findBetter(subject, plain, visit);
  if (better === undefined)
    return passed("headers", `a visitor who sends ${shown} is treated like any other`);
  return failed(
    "headers",
    `a visitor who sends ${shown} is let in without a sign-in: ${better}`,
    `have the proxy remove these headers from requests, as the printed configuration does (latchkey proxy), and ${ONLY_PROXY}`,
  );
}

/** Says in what a visit got further than a plain one. */
function findBetter({ user }: Subject, plain: Visit, visit: Visit): string | undefined {
  const isOpen = (one: Visit): boolean => one.kind === "answered" && one.status < 400;
  if (isOpen(visit) && !isOpen(plain) && visit.kind === "answered")
    return `it gets ${visit.status} at ${showUrl(visit.url)}`;
  if (visit.kind !== "answered" || !isOpen(visit) || plain.kind !== "answered") return undefined;
  if (showUrl(visit.url) !== showUrl(plain.url)) return `it gets to ${showUrl(visit.url)}`;
  const names = (body: string): boolean => readText(body).includes(user.username);
  if (names(visit.body) && !names(plain.body)) return `the page names ${user.username}`;
  const hasLost = hasPasswordField(plain.body) && !hasPasswordField(visit.body);
  return hasLost ? "the page no longer asks for a password" : undefined;
}

/** Opens the app with the session of the check. */
export async function checkSession(
  subject: Subject,
  browser: SiteBrowser,
): Promise<{ readonly report: StepReport; readonly visit: Visit | undefined }> {
  const refusal = (await checkAcceptance(subject, browser)) ?? explainVerdict(subject);
  if (refusal !== undefined) return { report: refusal, visit: undefined };
  const visit = await browser.open(subject.url, { until: stopsAt(subject) });
  return { report: judgeVisit(subject, visit), visit };
}

/** Checks whether the gate accepts the session at its own address. */
async function checkAcceptance(
  subject: Subject,
  browser: SiteBrowser,
): Promise<StepReport | undefined> {
  const { publicUrl } = subject;
  const until = isSignInPage(subject);
  const visit = await browser.open(new URL("/account/profile", publicUrl), { until });
  if (visit.kind !== "stopped") return undefined;
  return failed(
    "session",
    `the gate at ${publicUrl.origin} does not accept a session that this command makes: it has another AUTH_SECRET or another database`,
    "run this with the settings of that gate (the same environment or --env-file); if they have changed since its start, restart the gate",
  );
}

/** Says whether the account may open the app, by its groups and factors. */
function explainVerdict({ app, user, factors, publicUrl }: Subject): StepReport | undefined {
  const { username } = user;
  if (app.off !== undefined) {
    return failed(
      "session",
      `${app.name} is turned off, so nobody may open it`,
      `turn it on: latchkey app change ${app.id} --on`,
    );
  }
  switch (judgeUser(app, user, factors)) {
    case "admitted":
      return undefined;
    case "excluded": {
      const groups = app.groups?.join(", ");
      return groups === undefined
        ? failed(
            "session",
            `${username} may not open ${app.name}: guests need a group of the app`,
            `choose another account with --as, or give the app groups: latchkey app change ${app.id} --groups GROUP`,
          )
        : failed(
            "session",
            `${username} may not open ${app.name}: the account is in none of its groups (${groups})`,
            `add the account to one of them with latchkey user groups, change the groups with latchkey app change ${app.id} --groups, or choose another account with --as`,
          );
    }
    case "factor-unproven":
      return failed(
        "session",
        `${username} may not open ${app.name}: the app requires a second factor, and the account has none`,
        `turn one on at ${publicUrl.origin}/account/sign-in, choose another account with --as, or require none: latchkey app change ${app.id} --factor 1`,
      );
  }
}

function judgeVisit(subject: Subject, visit: Visit): StepReport {
  const { app, user, url } = subject;
  switch (visit.kind) {
    case "failed": {
      const { found, remedy } = explainFailure(visit.error);
      return failed("session", `${showUrl(visit.url)} cannot be reached: ${found}`, remedy);
    }
    case "circle":
      return failed(
        "session",
        `${app.name} redirects in a circle, at last to ${showUrl(visit.url)}`,
        `check the address that is configured in the app: it should be ${url.href}, with this scheme, and the proxy must send X-Forwarded-Proto`,
      );
    case "left":
      return failed(
        "session",
        `${app.name} leads to ${showUrl(visit.url)}, a host that is neither the app's nor the gate's; the session was not sent there`,
        `if it is the app's own address, set it: latchkey app change ${app.id} --url URL; else correct the address in the app`,
      );
    case "stopped":
      if (isSignInPage(subject)(visit.url)) return explainLostSession(subject, visit.url);
      return passed(
        "session",
        `with a session of ${user.username}, ${app.name} begins its sign-in`,
      );
    case "answered":
      return judgeAnswer(subject, visit);
  }
}

/** Explains why the gate asks for a sign-in although the browser has a session. */
function explainLostSession({ url, publicUrl, scope, app }: Subject, page: URL): StepReport {
  const lost = (found: string, remedy: string): StepReport =>
    failed("session", `the session does not arrive at ${url.origin}: ${found}`, remedy);
  if (page.searchParams.get("factor") === "2")
    return failed(
      "session",
      "the proxy requires a second factor (factor=2), and the account has none",
      "choose an account with a second factor with --as, or remove factor=2 from the configuration of the proxy",
    );
  if (publicUrl.protocol === "https:" && url.protocol === "http:")
    return lost(
      "browsers send it over https only, and the URL of the app is http",
      `serve the app over https, and correct its URL: latchkey app change ${app.id} --url https://${url.host}`,
    );
  const missing = findMissingScope(url.hostname, scope);
  if (missing !== undefined)
    return lost(
      "browsers do not send its cookie to this host",
      `set ${missing}, and start the gate again`,
    );
  return lost(
    "the proxy does not pass the Cookie header on to the gate, or another gate answers it",
    `${PRINTED}; check that it asks this gate`,
  );
}

function judgeAnswer(
  { app, user, url, publicUrl }: Subject,
  { url: at, status, body }: Extract<Visit, { readonly kind: "answered" }>,
): StepReport {
  if (BAD_GATEWAY.includes(status))
    return failed("session", describeBadGateway(url, status), startUpstream(app.upstream));
  if (at.origin === publicUrl.origin && at.origin !== url.origin)
    return failed(
      "session",
      `${app.name} leads to ${showUrl(at)}, a page of the gate, which returns ${status}: ${quoteText(body)}`,
      "open the app in a browser: the page says what to do",
    );
  if (status === 401 || status === 403)
    return failed(
      "session",
      `${user.username} is refused with ${status} at ${showUrl(at)}: ${quoteText(body)}`,
      `the groups of the app admit the account: check the lists of users and groups in the configuration of the proxy, and what ${app.name} itself requires`,
    );
  if (status >= 500)
    return failed(
      "session",
      `${app.name} fails: ${showUrl(at)} returns ${status}`,
      `look into the log of ${app.name}; if the proxy itself answers, look into its log`,
    );
  if (status >= 400)
    return failed(
      "session",
      `${app.name} returns ${status} at ${showUrl(at)}`,
      `if people open it at another path, correct its URL: latchkey app change ${app.id} --url URL`,
    );
  return passed(
    "session",
    `${app.name} opens for ${user.username}: ${showUrl(at)} returns ${status}`,
  );
}

const quoteText = (body: string): string => JSON.stringify(shorten(readText(body)));
