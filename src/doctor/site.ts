import { type Answer, ask } from "./ask.ts";

/** What a place answers to requests that change nothing. */
export interface Site {
  readonly url: URL;
  readonly login: Answer;
  readonly setup: Answer;
  readonly alive: Answer;
  readonly ready: Answer;
  /** A form that is posted as a browser posts it from here. */
  readonly form: Answer;
  /** The first page, as a browser without a session asks for it. */
  readonly page: Answer;
  /** The same place without TLS; only where both have their usual ports. */
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
    // It signs out whoever sends a session: this sends none.
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

/** Where http leads to https, all that http answers is about the redirect alone. */
export function leadsToTls(site: Site): boolean {
  return site.url.protocol === "http:" && isRedirectToTls(site.login, site.url);
}

export function isRedirectToTls(asked: Answer, from: URL): boolean {
  const location = locationIn(asked);
  if (location === undefined || !URL.canParse(location, from.href)) return false;
  const { protocol } = new URL(location, from.href);
  return protocol === "https:";
}
