import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { dirname, normalize } from "node:path";
import { test } from "node:test";
import { at, pages, text } from "./pages.ts";

const INDEX = "docs/README.md";
/** The index leads to each recipe by their list. */
const RECIPES = "docs/apps/recipes.md";

interface Link {
  readonly page: string;
  /** Relative to the root; the page itself for a link to one of its own headings. */
  readonly file: string;
  readonly anchor: string | undefined;
}

/** The text of a page without code, in which a bracket or a `#` has another meaning. */
const proseOf = (page: string): string =>
  text(page)
    .replaceAll(/^ *```[\s\S]*?^ *```/gm, "")
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()<>]/g, ""));

function linksIn(page: string): readonly Link[] {
  const found = proseOf(page).matchAll(/\]\(([^)\s]+)\)|\b(?:src|srcset|href)="([^"]+)"/g);
  return [...found]
    .map(([, target, attribute]) => target ?? attribute ?? "")
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? page : normalize(`${dirname(page)}/${path}`);
      return { page, file: file.replace(/\/$/, ""), anchor };
    });
}

/** The anchors that GitHub makes for the headings of a page. */
function anchorsOf(page: string): readonly string[] {
  const headings = [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
  return headings.map((anchor, index) => {
    const earlier = headings.slice(0, index).filter((other) => other === anchor).length;
    return earlier === 0 ? anchor : `${anchor}-${earlier}`;
  });
}

const links = pages.flatMap(linksIn);

test("every link leads to an existing file and heading", () => {
  assert.ok(links.length > 100, "finds links");
  const isDead = ({ file, anchor }: Link): boolean =>
    !existsSync(at(file)) || (anchor !== undefined && !anchorsOf(file).includes(anchor));
  assert.deepEqual(links.filter(isDead), []);
});

test("the README reaches the index, and the index every page in docs and only pages", () => {
  assert.ok(linksIn("README.md").some(({ file }) => file === INDEX));
  const linked = [INDEX, RECIPES].flatMap(linksIn).map(({ file }) => file);
  const expected = pages.filter((page) => page.startsWith("docs/") && page !== INDEX);
  assert.deepEqual(
    [
      ...expected.filter((page) => !linked.includes(page)),
      ...linked.filter((to) => !pages.includes(to)),
    ],
    [],
  );
});

test("the pages for developers and about security name only existing files", () => {
  const sources = readdirSync(at("src"), { recursive: true, encoding: "utf8" });
  // Only the first file of a folder is named with its path.
  const exists = (path: string): boolean =>
    existsSync(at(path)) || sources.some((source) => `/${source}`.endsWith(`/${path}`));
  for (const page of [
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "docs/threat-model.md",
    "docs/asvs.md",
  ]) {
    const found = text(page).matchAll(
      /`((?:src|test|packages|proof|docs)\/[^`]+|[a-z][\w/-]*\.ts)`/g,
    );
    const named = [...found].map(([, path = ""]) => path);
    assert.ok(named.length > 5, "finds files");
    const broken = named.filter((path) => !exists(path));
    assert.deepEqual(broken, [], page);
  }
});
