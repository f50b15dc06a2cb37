import { type Answer, respond } from "../../http/responses.ts";

/** Describes an app of the demo. */
export interface SampleApp {
  readonly name: string;
  /** The SVG of the icon. */
  readonly icon: string;
}

/** Describes a page of a sample app. Usernames are in it, which invited people choose. */
export interface SamplePage {
  readonly title: string;
  readonly about: string;
  /** Contains what the app knows of the person, by name. */
  readonly known: readonly (readonly [name: string, value: string])[];
  readonly links: readonly { readonly text: string; readonly url: string }[];
}

const STYLE = `:root{color-scheme:light dark}
body{margin:0;padding:12vh 20px;font:16px/1.5 system-ui,sans-serif}
main{max-inline-size:34em;margin:auto}
img{inline-size:64px;block-size:64px}
h1{margin:.5em 0 0;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:auto 1fr;gap:.25em 1.5em;margin:1.5em 0}
dd{margin:0;overflow-wrap:anywhere}
a{display:inline-block;margin-inline-end:1.5em;padding:10px 0}
`;

const HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
};

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Answers with a page of a sample app, which does not look like a page of Latchkey. */
export function respondSamplePage({ name }: SampleApp, page: SamplePage, status = 200): Answer {
  const { title, about, known, links } = page;
  const facts = known.map(
    ([key, value]) => `<dt>${escapeHtml(key)}</dt><dd>${escapeHtml(value)}</dd>`,
  );
  const anchors = links.map(
    ({ text, url }) => `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>`,
  );
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(name)}</title>
<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<main>
<img src="/icon.svg" alt="">
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(about)}</p>
${facts.length === 0 ? "" : `<dl>${facts.join("")}</dl>\n`}<p>${anchors.join("")}</p>
</main>
</body>
</html>
`;
  return respond(html, status, HEADERS);
}

/** Answers a request for a file of a sample app, which everybody may load. */
export function respondSampleFile({ icon }: SampleApp, path: string): Answer | undefined {
  if (path === "/icon.svg") return respond(icon, 200, { "Content-Type": "image/svg+xml" });
  if (path === "/style.css") return respond(STYLE, 200, { "Content-Type": "text/css" });
  return undefined;
}
