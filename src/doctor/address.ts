import { getLocalUrl, LOCAL_FIELDS } from "../gate/reach.ts";
import { allowsAnyHost } from "../lib/allowed-hosts.ts";
import { isLoopbackHost } from "../lib/loopback.ts";
import { findMissingScope, type SessionScope } from "../lib/session-reach.ts";
import {
  type Check,
  collectFindings,
  createCheck,
  type Finding,
  hint,
  ok,
  problem,
} from "./check.ts";
import { type Installation, readContents } from "./installation.ts";
import { findSignInUrl, findTlsRedirect, type SiteVisit } from "./visit-site.ts";

const MISDIRECTED = 421;

const FIELDS = [...LOCAL_FIELDS, "publicUrl", "cookieDomain", "returnDomains"] as const;

/** Checks whether Latchkey responds at the URL that browsers use. */
export const checkAddress: Check = createCheck("address", FIELDS, async (installation) => {
  const site = await installation.visitSite();
  // The hosts check reports a refused host name.
  if (site === undefined || site.login.status === MISDIRECTED) return undefined;
  const { origin } = site.url;
  const target = findTlsRedirect(site.login, site.url)?.origin;
  if (target !== undefined) {
    return hint(`${origin} redirects to ${target}`, `run this with --url ${target}`);
  }
  const signIn = findSignInUrl(site);
  if (signIn !== undefined && signIn.origin !== origin) {
    return ok(`an app answers at ${origin}, behind the sign-in at ${signIn.origin}`);
  }
  return (
    reportUnreachedApp(site, installation.settings) ??
    reportUnanswered(site, getLocalUrl(installation.settings).origin) ??
    collectFindings(
      [reportPlainHttp(site)],
      `Latchkey answers at ${origin}, and its forms work there`,
    )
  );
});

/** Reports an app that redirects to the sign-in, but does not receive its session. */
function reportUnreachedApp({ url, page }: SiteVisit, scope: SessionScope): Finding | undefined {
  const { publicUrl } = scope;
  const isSentThere = publicUrl && page.headers.location?.startsWith(`${publicUrl}/login`);
  const missing = isSentThere ? findMissingScope(url.hostname, scope) : undefined;
  if (missing === undefined) return undefined;
  return problem(
    `the session of the sign-in at ${publicUrl} does not reach ${url.origin}, so nobody can open it`,
    `set ${missing}, and start the gate again`,
  );
}

/**
 * Reports why Latchkey does not respond. A response to sign-out proves that Latchkey responds, even
 * if the pages differ.
 */
function reportUnanswered(site: SiteVisit, gate: string): Finding | undefined {
  const { login, form } = site;
  const { origin } = site.url;
  if (login.status === undefined) {
    return problem(
      `${origin} does not answer: ${login.result}`,
      "check that the gate and the proxy run, and that DNS, firewall and port are right",
    );
  }
  if (form.status === 303 && form.headers.location?.endsWith("/login") === true) return undefined;
  if ([502, 503, 504].includes(login.status)) {
    return problem(
      `the proxy at ${origin} does not reach the gate: ${login.result}`,
      `check that the gate runs, and that the proxy forwards to it: ${gate}`,
    );
  }
  if (form.status === 403) {
    return problem(
      `forms posted to ${origin} are rejected as cross-site: the proxy does not pass on the Host header unchanged`,
      `have the proxy do so (nginx: proxy_set_header Host $http_host;), or set PUBLIC_URL to ${origin}`,
    );
  }
  return problem(
    `the server at ${origin} is not Latchkey, or does not get its forms: GET /login returns ${login.status}, POST /logout ${form.status ?? "does not answer"}`,
    "have the proxy forward /login, /setup, /logout, /account/ and the other paths of the gate to it, with every method (see docs/proxies)",
  );
}

function reportPlainHttp({ plain, url: { hostname } }: SiteVisit): Finding | undefined {
  const url = new URL(`http://${hostname}`);
  if (plain === undefined || findTlsRedirect(plain, url) !== undefined) return undefined;
  if (plain.status === undefined || plain.status >= 400) return undefined;
  return hint(
    `${url.origin} answers without a redirect to https: passwords sent there are not encrypted`,
    "have the proxy redirect it (nginx: return 301 https://$host$request_uri;)",
  );
}

export const checkHosts: Check = createCheck(
  "hosts",
  ["host", "allowedHosts", "database"],
  async (installation) => {
    const site = await installation.visitSite();
    const { allowedHosts } = installation.settings;
    const allowed =
      allowedHosts === "loopback-setup"
        ? "any, except for setup while no account exists"
        : allowedHosts.join(", ");
    return collectFindings(
      [site && reportRefusedHost(site), await reportRebinding(installation)],
      `allowed host names: ${allowed}`,
    );
  },
);

function reportRefusedHost({ url, login, setup }: SiteVisit): Finding | undefined {
  if (login.status === MISDIRECTED) {
    return problem(
      `requests for ${url.host} get 421: ALLOWED_HOSTS does not allow this host name`,
      `add ${url.hostname} to ALLOWED_HOSTS, or have the proxy pass on the Host header`,
    );
  }
  if (setup.status !== MISDIRECTED) return undefined;
  return problem(
    `no account yet, and setup at ${url.host} returns 421: on loopback, only known host names reach it`,
    `set PUBLIC_URL to ${url.origin}, or add ${url.hostname} to ALLOWED_HOSTS`,
  );
}

/**
 * Reports possible DNS rebinding. On loopback, only the host name check keeps out websites in a
 * local browser.
 */
async function reportRebinding(
  installation: Installation<"host" | "allowedHosts" | "database">,
): Promise<Finding | undefined> {
  const { host, allowedHosts } = installation.settings;
  if (!isLoopbackHost(host) || !allowsAnyHost(allowedHosts)) return undefined;
  if ((await readContents(installation))?.hasUsers !== false) return undefined;
  return hint(
    "no account yet, and ALLOWED_HOSTS is *: a website can reach setup through DNS rebinding",
    "list the host names in ALLOWED_HOSTS, or leave it unset",
  );
}
