import { type Answer, ask } from "./ask.ts";

/** The responses of a site to requests that change nothing. */
export interface Site {
  readonly url: URL;
  readonly login: Answer;
  readonly setup: Answer;
  readonly alive: Answer;
  readonly ready: Answer;
  /** A form posted to the site with its own origin, as a browser would. */
  readonly form: Answer;
  /** The first page, as a browser without a session asks for it. */
  readonly page: Answer;
  /** The same site without TLS; requested only if HTTPS uses its default port. */
  readonly plain: Answer | undefined;
}

export async function visitSite(url: URL, now: () => number): Promise<Site> {
  const at = (path: string): URL => new URL(path, url);
  const page = { headers: { Accept: "text/html" } };
  const own = { Origin: url.origin };
  const [login, setup, alive, ready, form, first, plain] = await Promise.all([
    ask(at("/login"), page, now),
    ask(at("/setup"), page, now),
    ask(at("/healthz"), {}, now),
    ask(at("/readyz"), {}, now),
    // Ends no session, because the request has no cookie.
    ask(at("/logout"), { method: "POST", headers: own }, now),
    ask(at("/"), page, now),
    url.protocol === "https:" && url.port === ""
      ? ask(new URL(`http://${url.hostname}/login`), page, now)
      : undefined,
  ]);
  return { url, login, setup, alive, ready, form, page: first, plain };
}

export const locationIn = (asked: Answer): string | undefined =>
  asked.kind === "response" ? asked.headers.location : undefined;

export const statusOf = (asked: Answer): number | undefined =>
  asked.kind === "response" ? asked.status : undefined;

/** Whether HTTP redirects to HTTPS: then its responses say nothing about the gate. */
export function leadsToTls(site: Site): boolean {
  return site.url.protocol === "http:" && isRedirectToTls(site.login, site.url);
}

export function isRedirectToTls(asked: Answer, from: URL): boolean {
  const location = locationIn(asked);
  if (location === undefined || !URL.canParse(location, from.href)) return false;
  const { protocol } = new URL(location, from.href);
  return protocol === "https:";
}
