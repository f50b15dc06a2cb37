import { canShareCookies } from "../http/location.ts";
import { RETURN_TO } from "../http/return-to.ts";
import { isLoopbackHost } from "../lib/loopback.ts";
import { type Check, collectFindings, createCheck, type Finding, hint, problem } from "./check.ts";
import { findSignInUrl, findTlsRedirect, type SiteVisit } from "./visit-site.ts";

export const checkCookie: Check = createCheck("cookie", ["cookieDomain"], async (installation) => {
  const site = await installation.visitSite();
  if (site?.login.status === undefined) return undefined;
  const { url, login } = site;
  if (findTlsRedirect(login, url) !== undefined) return undefined;
  const { origin, hostname, protocol } = url;
  const { cookieDomain } = installation.settings;
  const outside = problem(
    `browsers reject the cookie: COOKIE_DOMAIN is ${cookieDomain}, which does not include ${hostname}`,
    "set COOKIE_DOMAIN to a domain that includes the gate and the apps, or leave it unset",
  );
  const noTls = hint(
    `${origin} has no TLS: others on the network can read passwords and sessions`,
    "set HTTPS_PORT for automatic HTTPS, or use a proxy with a certificate (see docs/proxies)",
  );
  return collectFindings(
    [
      !canShareCookies(origin, cookieDomain) && outside,
      reportScheme(site),
      reportStrippedCookie(site),
      protocol !== "https:" && !isLoopbackHost(hostname) && noTls,
    ],
    `browsers send the session cookie back to ${origin}`,
  );
});

/**
 * Reports a wrong scheme. Without a session, the gate redirects with the URL that it believes was
 * requested.
 */
function reportScheme(site: SiteVisit): Finding | undefined {
  const { url } = site;
  const assumed = URL.parse(findSignInUrl(site)?.searchParams.get(RETURN_TO) ?? "") ?? url;
  if (assumed.hostname !== url.hostname || assumed.protocol === url.protocol) return undefined;
  const isPlain = assumed.protocol === "http:";
  if (!isPlain && isLoopbackHost(url.hostname)) return undefined;
  const effect = isPlain
    ? "so the cookie is set without Secure"
    : "so browsers do not send the cookie back there";
  return problem(
    `the proxy reports ${url.origin} to the gate as ${isPlain ? "http" : "https"}, ${effect}`,
    "have it set X-Forwarded-Proto to the protocol of the browser (nginx: proxy_set_header X-Forwarded-Proto $scheme;), and use https",
  );
}

/** Reports a proxy that removes cookies. Sign-out sends Set-Cookie even without a session. */
function reportStrippedCookie({ url, form }: SiteVisit): Finding | undefined {
  if (form.status !== 303) return undefined;
  const cookies = form.headers["set-cookie"] ?? [];
  if (cookies.some((cookie) => cookie.startsWith("session="))) return undefined;
  return problem(
    `a proxy at ${url.origin} removes the Set-Cookie header, so users cannot sign in there`,
    "have the proxy pass on Set-Cookie, and not cache responses of the gate",
  );
}
