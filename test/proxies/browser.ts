import type { Answer, Sending } from "../support/client.ts";
import { OWNER } from "../support/gate.ts";
import type { Site } from "./site.ts";

export const PAGE = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" } as const;

/** Opens a page as a browser does. */
export function openPage(site: Site, url: string, sending: Sending = {}): Promise<Answer> {
  return site.visit(url, { ...sending, headers: { ...PAGE, ...sending.headers } });
}

/** The absolute URL of a redirect. */
export function redirectTarget(asked: string, { location = "" }: Answer): string {
  return new URL(location, asked).href;
}

/** Opens the page and posts its form with the hidden fields, as a browser does. */
export async function fillIn(
  site: Site,
  url: string,
  fields: Readonly<Record<string, string>> = OWNER,
  sending: Sending = {},
): Promise<Answer> {
  const { body } = await openPage(site, url, sending);
  const action = /<form method="post" action="([^"]+)"/.exec(body)?.[1];
  if (action === undefined) throw new Error(`no form at ${url}: ${body}`);
  return site.visit(new URL(action, url).href, {
    ...sending,
    form: { ...hiddenFields(body), ...fields },
    headers: {
      ...PAGE,
      Origin: new URL(url).origin,
      "Sec-Fetch-Site": "same-origin",
      ...sending.headers,
    },
  });
}

/** The hidden fields of a page, by name. */
export function hiddenFields(html: string): Readonly<Record<string, string>> {
  const inputs = html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g);
  return Object.fromEntries([...inputs].map(([, name, value = ""]) => [name, unescaped(value)]));
}

function unescaped(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}
