import { type Finding, type Findings, hint, ok, orOk, problem } from "./check.ts";
import type { Installation } from "./installation.ts";
import {
  type Answer,
  isRedirectToTls,
  locationIn,
  redirectsToTls,
  type Site,
  signInOf,
  statusOf,
} from "./site.ts";

/** Checks whether Latchkey answers at the URL that browsers use. */
export async function checkAddress(installation: Installation): Promise<Findings> {
  const site = await installation.site();
  // The hosts check reports a refused host name.
  if (site === undefined || statusOf(site.login) === 421) return undefined;
  const { origin } = site.url;
  if (redirectsToTls(site)) {
    const target = new URL(locationIn(site.login) ?? "", site.url).origin;
    return hint(`${origin} redirects to ${target}`, `run this with --url ${target}`);
  }
  const { host, port } = installation.settings;
  const signIn = signInOf(site);
  if (signIn !== undefined && signIn.origin !== origin) {
    return ok(`an app answers at ${origin}, behind the sign-in at ${signIn.origin}`);
  }
  const wrongServer = wrongServerFinding(site, `http://${host}:${port}`);
  if (wrongServer !== undefined) return wrongServer;
  return orOk(
    [formFinding(site), readyFinding(site), plainFinding(site.plain, site.url)],
    `Latchkey answers at ${origin}, and its forms work there`,
  );
}

/** Reports why Latchkey does not answer at the address at all. */
function wrongServerFinding(site: Site, gate: string): Finding | undefined {
  const { origin } = site.url;
  const { login, form } = site;
  if (login.kind === "none") {
    return problem(
      `${origin} does not answer: ${login.reason}`,
      "check that the gate and the proxy run, and that DNS, firewall and port are right",
    );
  }
  if (isLatchkey(site)) return undefined;
  if ([502, 503, 504].includes(login.status)) {
    return problem(
      `the proxy at ${origin} does not reach the gate: it returns ${login.status}`,
      `check that the gate runs, and that the proxy forwards to it: ${gate}`,
    );
  }
  return problem(
    `the server at ${origin} is not Latchkey: GET /login returns ${login.status}, POST /logout ${statusOf(form) ?? "does not answer"}`,
    "have the proxy forward /login, /setup, /logout, /account/ and the other paths of the gate to it (see docs/proxies)",
  );
}

/** Recognizes Latchkey by its behaviour, because operators can replace its pages. */
function isLatchkey({ login, form }: Site): boolean {
  if (isSignOut(form)) return true;
  if (login.kind === "none") return false;
  const isSignInPage =
    login.status === 200 || login.headers.location === "/setup" || login.status >= 500;
  const policy = String(login.headers["content-security-policy"] ?? "");
  return isSignInPage && policy.startsWith("default-src 'none'; script-src 'self'");
}

const isSignOut = (form: Answer): boolean =>
  statusOf(form) === 303 && (locationIn(form) ?? "").endsWith("/login");

function formFinding({ url: { origin }, form }: Site): Finding | undefined {
  if (isSignOut(form)) return undefined;
  if (statusOf(form) === 403) {
    return problem(
      `forms posted to ${origin} are rejected as cross-site: the proxy does not pass on the Host header unchanged`,
      `have the proxy do so (nginx: proxy_set_header Host $http_host;), or set PUBLIC_URL to ${origin}`,
    );
  }
  const got = form.kind === "none" ? form.reason : `the response is ${form.status}`;
  return problem(
    `forms posted to ${origin} do not reach the gate: ${got}`,
    "have the proxy forward /logout, /login, /setup and /account/password to the gate, with every method",
  );
}

/** Reports an unhealthy gate. A proxy need not forward the health paths, so silence is fine. */
function readyFinding({ alive, ready }: Site): Finding | undefined {
  if (alive.kind === "none" || alive.body !== "alive" || statusOf(ready) !== 503) return undefined;
  return problem(
    "the gate runs, but its database does not answer: /readyz returns 503",
    "see the findings of the database check, and the log of the gate",
  );
}

/** Exported for its tests, which cannot use port 80. */
export function plainFinding(plain: Answer | undefined, url: URL): Finding | undefined {
  if (plain === undefined || plain.kind === "none" || isRedirectToTls(plain, url)) return undefined;
  if (plain.status >= 400) return undefined;
  return hint(
    `http://${url.hostname} answers without a redirect to https: passwords sent there are not encrypted`,
    "have the proxy redirect it (nginx: return 301 https://$host$request_uri;)",
  );
}
