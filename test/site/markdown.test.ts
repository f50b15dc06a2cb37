import assert from "node:assert/strict";
import { test } from "node:test";
import { type SitePage, toSitePage } from "../../site/markdown.ts";

const routes = new Map([
  ["README.md", ""],
  ["docs/library.md", "library"],
  ["docs/deploy/README.md", "deploy"],
  ["docs/proxies/caddy.md", "proxies/caddy"],
]);

const pageOf = (file: string, body: string): SitePage =>
  toSitePage(file, `# A title\n\n${body}`, { routes, draw: (diagram) => `<svg>${diagram}</svg>` });

/** The Markdown below the front matter. */
const bodyOf = (file: string, body: string): string =>
  pageOf(file, body).text.split("\n---\n").at(-1)?.trim() ?? "";

test("the heading is the title, and the first paragraph the description", () => {
  const { text } = pageOf("docs/library.md", "Use `createAuth` in [an app](x.md).\n\nMore.");
  const front = '---\ntitle: "A title"\ndescription: "Use createAuth in an app."\n';
  assert.ok(text.startsWith(front), text);
});

test("links between pages become relative addresses", () => {
  const cases = [
    ["README.md", "docs/library.md#options", "library/#options"],
    ["docs/proxies/caddy.md", "../library.md", "../../library/"],
    ["docs/proxies/caddy.md", "../deploy/README.md", "../../deploy/"],
    ["docs/proxies/caddy.md", "../../README.md", "../../"],
    ["docs/proxies/caddy.md", "#two-hosts", "#two-hosts"],
    ["docs/library.md", "https://example.org/x.md", "https://example.org/x.md"],
  ] as const;
  for (const [file, target, expected] of cases) {
    assert.equal(bodyOf(file, `See [it](${target}).`), `See [it](${expected}).`);
  }
});

test("other files and images are named, so that they can be copied", () => {
  const body = "[a](compose.yaml) [b](../../Dockerfile) ![c](../pages/login.png)";
  const page = pageOf("docs/deploy/README.md", body);
  assert.deepEqual(page.files, ["docs/deploy/compose.yaml", "Dockerfile"]);
  assert.deepEqual(page.images, ["docs/pages/login.png"]);
  assert.match(
    page.text,
    /\(\.\.\/files\/docs\/deploy\/compose\.yaml\) .*\(\.\.\/files\/Dockerfile\)/,
  );
});

test("code stays as it is", () => {
  const body = "`[a](library.md)`\n\n```md\n[a](library.md)\n```";
  assert.equal(bodyOf("docs/proxies/caddy.md", body), body);
});

test("blocks for several programs become tabs", () => {
  const block = (label: string): string =>
    `${label}, above \`x\`:\n\n\`\`\`conf\n${label}\n\`\`\`\n`;
  const body = bodyOf("docs/library.md", ["nginx", "nginx", "Caddy"].map(block).join("\n"));
  assert.deepEqual(
    [...body.matchAll(/data-label="(\w+)"/g)].map(([, label]) => label),
    ["nginx", "Caddy"],
  );
  assert.equal(body.match(/^```conf$/gm)?.length, 3);
  const single = block("nginx").trim();
  assert.equal(bodyOf("docs/library.md", single), single);
});

test("a picture for two themes becomes two images", () => {
  const picture =
    '<picture><source media="(prefers-color-scheme: dark)" srcset="docs/pages/d.png"><img src="docs/pages/l.png" width="250" alt="The page"></picture>';
  const page = pageOf("README.md", picture);
  assert.deepEqual(page.images, ["docs/pages/l.png", "docs/pages/d.png"]);
  assert.match(page.text, /for-light">!\[The page\].*for-dark">!\[The page\]/);
});

test("a diagram becomes an image with its title", () => {
  const diagram = "```mermaid\nflowchart TD\n  accTitle: The parts\n  a --> b\n```";
  const { text, drawings } = pageOf("docs/library.md", diagram);
  assert.match(text, /!\[The parts\]\(\.\.\/images\/drawings\/0\/library\.svg\)/);
  assert.deepEqual([...drawings.values()], ["<svg>flowchart TD\n  a --> b\n</svg>"]);
});
