import assert from "node:assert/strict";

type Attributes = Readonly<Record<string, string>>;

const attributesIn = (tag: string): Attributes =>
  Object.fromEntries(
    [...tag.matchAll(/\s([\w-]+)(?:="([^"]*)")?/g)].map(([, name = "", value = ""]) => [
      name,
      value,
    ]),
  );

/** The attributes of each element of this name, in page order. */
export const elements = (html: string, name: string): readonly Attributes[] =>
  [...html.matchAll(new RegExp(`<${name}(\\s[^>]*)?>`, "g"))].map(([tag]) => attributesIn(tag));

/** The attributes of a form's field. */
export function fieldNamed(html: string, name: string): Attributes {
  const found = elements(html, "input").find((input) => input.name === name);
  assert.ok(found !== undefined, `no field ${name} in ${html}`);
  return found;
}

/** The messages that screen readers announce. */
export const alertsIn = (html: string): readonly string[] =>
  [...html.matchAll(/<p class="(?:problem|about)" role="alert"[^>]*>([^<]*)<\/p>/g)].map(
    ([, text = ""]) => text,
  );

/** Asserts scripts by URL, one or two on a sign-in page, and no inline code, handler or style. */
export function assertNothingInline(html: string): void {
  const scripts = [...html.matchAll(/<script\b[^>]*>[\s\S]*?<\/script>/gi)].map(
    ([script]) => script,
  );
  assert.equal(html.match(/<script/gi)?.length, scripts.length, "each script is closed");
  assert.equal(scripts.length, html.includes("data-code=") ? 2 : 1);
  for (const script of scripts) {
    assert.match(
      script,
      /^<script src="(\/[\w-]+)*\/latchkey\.js\?v=[\w-]{12}"( [\w-]+(="[^"<>]*")?)*><\/script>$/,
    );
  }
  assert.doesNotMatch(html, /<style|\sstyle=|<[^>]*\son\w+=|javascript:/i);
}

/** The target of the link element of this kind: `stylesheet`, `icon`. */
export function addressIn(html: string, rel: string): string {
  const link = elements(html, "link").find((one) => one.rel === rel);
  assert.ok(link?.href !== undefined, `no link to a ${rel} in ${html}`);
  return link.href;
}

/** The sentences of the shown activity, from top to bottom. */
/** What each entry of a list of activity says about its author and device. */
export const detailsOf = (html: string): readonly string[] =>
  [...html.matchAll(/<small>((?:(?: · )?<bdi>[^<]*<\/bdi>)+)<\/small>/g)].map(([, text = ""]) =>
    text.replaceAll(/<\/?bdi>/g, ""),
  );

export const activityOf = (html: string): readonly string[] =>
  [...html.matchAll(/<li[^>]*>.*?<bdi[^>]*>([^<]*)<\/bdi>.*? <time/g)].map(([, text = ""]) => text);
