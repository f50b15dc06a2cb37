import { isLoopbackHost } from "../core/loopback.ts";
import type { Settings } from "../gate/settings/settings.ts";
import { sharesCookies } from "../web/location.ts";
import type { Check } from "./check.ts";
import { type Finding, hint, orOk, problem } from "./finding.ts";
import { leadsToTls, locationIn, type Site, statusOf } from "./site.ts";

export const cookieCheck: Check = {
  name: "cookie",
  settings: ["PUBLIC_URL", "COOKIE_DOMAIN"],

  async look(installation) {
    const site = await installation.site();
    if (site === undefined || site.login.kind === "none" || leadsToTls(site)) return [];
    return orOk(
      [
        ...domainFindings(site.url, installation.settings),
        ...publicUrlFindings(site.url, installation.settings),
        ...schemeFindings(site),
        ...strippedFindings(site),
        ...clearFindings(site.url),
      ],
      `nothing keeps the session cookie from coming back to ${site.url.origin}`,
    );
  },
};

type Place = Pick<Settings, "publicUrl" | "cookieDomain">;

function domainFindings({ origin, hostname }: URL, { cookieDomain }: Place): readonly Finding[] {
  if (cookieDomain === undefined || sharesCookies(origin, cookieDomain)) return [];
  return [
    problem(
      `browsers drop the cookie: COOKIE_DOMAIN is ${cookieDomain}, and ${hostname} is neither that nor below it`,
      "set COOKIE_DOMAIN to a domain that both the gate and the applications are at or below, or leave it out",
    ),
  ];
}

/** A loopback address reaches the gate directly, so it may differ from PUBLIC_URL. */
function publicUrlFindings(url: URL, { publicUrl }: Place): readonly Finding[] {
  if (publicUrl === undefined || publicUrl === url.origin || isLoopbackHost(url.hostname))
    return [];
  const there = new URL(publicUrl);
  if (there.host === url.host && there.protocol === "https:") {
    return [
      problem(
        `${url.origin} has no TLS, and PUBLIC_URL is ${publicUrl}: a session made there is not sent here`,
        `have the proxy redirect ${url.origin} to ${publicUrl}`,
      ),
    ];
  }
  return [
    hint(
      `PUBLIC_URL is ${publicUrl}, which is not ${url.origin}: whoever signs in at the one may not be signed in at the other`,
      `use one of them: set PUBLIC_URL to ${url.origin}, or lead people to ${publicUrl}`,
    ),
  ];
}

/** Without a session, the gate redirects with the URL that it believes was requested. */
function schemeFindings({ url, page }: Site): readonly Finding[] {
  const location = locationIn(page) ?? "";
  const target = URL.canParse(location, url.href)
    ? (new URL(location, url.href).searchParams.get("return_to") ?? "")
    : "";
  const asked = URL.canParse(target) ? new URL(target) : url;
  if (asked.hostname !== url.hostname) return [];
  const believed = asked.protocol;
  if (believed === url.protocol) return [];
  if (believed === "https:") {
    if (isLoopbackHost(url.hostname)) return [];
    return [
      problem(
        `the proxy tells the gate that ${url.origin} is https, so browsers do not send the cookie back there`,
        "have it set X-Forwarded-Proto to what the browser speaks (nginx: $scheme), and use https",
      ),
    ];
  }
  return [
    problem(
      `the proxy tells the gate that ${url.origin} is http, so the cookie goes out without Secure`,
      "have it set X-Forwarded-Proto: https (nginx: proxy_set_header X-Forwarded-Proto $scheme;)",
    ),
  ];
}

/** Sign-out sends Set-Cookie even without a session. */
function strippedFindings({ url, form }: Site): readonly Finding[] {
  if (form.kind === "none" || statusOf(form) !== 303) return [];
  const cookies = form.headers["set-cookie"] ?? [];
  if (cookies.some((cookie) => cookie.startsWith("session="))) return [];
  return [
    problem(
      `something before ${url.origin} takes the gate's Set-Cookie away: nobody can sign in there`,
      "have the proxy pass Set-Cookie on, and cache nothing of the gate's",
    ),
  ];
}

function clearFindings({ protocol, hostname, origin }: URL): readonly Finding[] {
  if (protocol === "https:" || isLoopbackHost(hostname)) return [];
  return [
    hint(
      `${origin} has no TLS: passwords and sessions can be read on the way`,
      "set HTTPS_PORT, so that the gate gets a certificate by itself, or put a proxy with one before it: docs/proxies shows how",
    ),
  ];
}
