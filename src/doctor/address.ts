import type { Answer } from "./ask.ts";
import type { Check } from "./check.ts";
import { type Finding, hint, orOk, problem } from "./finding.ts";
import { isRedirectToTls, leadsToTls, locationIn, type Site, statusOf } from "./site.ts";

export const addressCheck: Check = {
  name: "address",
  settings: ["HOST", "PORT"],

  async look(installation) {
    const site = await installation.site();
    // The hosts check reports a refused host name.
    if (site === undefined || statusOf(site.login) === 421) return [];
    const { host, port } = installation.settings;
    const wrongServer = wrongServerAt(site, `http://${host}:${port}`);
    if (wrongServer !== undefined) return [wrongServer];
    if (leadsToTls(site)) {
      const there = new URL(locationIn(site.login) ?? "", site.url).origin;
      return [hint(`${site.url.origin} leads to ${there}`, `run this with --url ${there}`)];
    }
    return orOk(
      [...formFindings(site), ...readyFindings(site), ...plainFindings(site.plain, site.url)],
      `Latchkey answers at ${site.url.origin}, and its forms work there`,
    );
  },
};

/** Reports why Latchkey does not answer at the address at all. */
function wrongServerAt(site: Site, gate: string): Finding | undefined {
  const { origin } = site.url;
  const { login } = site;
  if (login.kind === "none") {
    return problem(
      `${origin} does not answer: ${login.reason}`,
      "see whether the gate and the proxy run, and whether name, firewall and port lead there",
    );
  }
  if (leadsToTls(site)) return undefined;
  if ([502, 503, 504].includes(login.status) && !isLatchkey(site)) {
    return problem(
      `the proxy at ${origin} does not reach the gate: it answers ${login.status}`,
      `see whether the gate runs, and lead the proxy to where it listens: ${gate}`,
    );
  }
  if (isLatchkey(site)) return undefined;
  return problem(
    `what answers at ${origin} is not Latchkey: /login gives ${login.status}, a form posted to /logout ${statusOf(site.form) ?? "nothing"}`,
    "have the proxy lead /login, /setup, /logout, /account/ and the rest of the gate's paths to the gate: docs/proxies shows how",
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

function formFindings({ url, form }: Site): readonly Finding[] {
  if (isSignOut(form)) return [];
  if (statusOf(form) === 403) {
    return [
      problem(
        `forms posted at ${url.origin} are refused as those of another site: the proxy does not pass the header Host on as it came`,
        `have it do so (nginx: proxy_set_header Host $http_host;), or set PUBLIC_URL to ${url.origin}`,
      ),
    ];
  }
  const said = form.kind === "none" ? form.reason : `answer ${form.status}`;
  return [
    problem(
      `forms posted at ${url.origin} do not get to the gate: ${said}`,
      "have the proxy lead /logout, /login, /setup and /account/password to the gate, with every method",
    ),
  ];
}

/** Reports an unhealthy gate. A proxy need not forward the health paths, so silence is fine. */
function readyFindings({ alive, ready }: Site): readonly Finding[] {
  if (alive.kind === "none" || alive.body !== "alive" || statusOf(ready) !== 503) return [];
  return [
    problem(
      "the gate runs, and its database does not answer: /readyz gives 503",
      "see what the check of the database says, and the log of the gate",
    ),
  ];
}

/** Exported for its tests, which cannot use port 80. */
export function plainFindings(plain: Answer | undefined, url: URL): readonly Finding[] {
  if (plain === undefined || plain.kind === "none" || isRedirectToTls(plain, url)) return [];
  if (plain.status >= 400) return [];
  return [
    hint(
      `http://${url.hostname} answers without leading to https: who comes that way sends the password in the clear`,
      `have the proxy redirect it (nginx: return 301 https://$host$request_uri;)`,
    ),
  ];
}
