import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const INDEX = "docs/README.md";

interface Link {
  readonly page: string;
  /** Relative to the root; the page itself for a link to one of its own headings. */
  readonly file: string;
  readonly anchor: string | undefined;
}

/** Every Markdown file that git tracks or would add. */
const pages: readonly string[] = execFileSync(
  "git",
  ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "*.md"],
  { cwd: ROOT, encoding: "utf8" },
)
  .trimEnd()
  .split("\n")
  .filter((page) => existsSync(join(ROOT, page)));

/** The text of a page without code, in which a bracket or a `#` has another meaning. */
const proseOf = (page: string): string =>
  readFileSync(join(ROOT, page), "utf8")
    .replaceAll(/^ *```[\s\S]*?^ *```/gm, "")
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()<>]/g, ""));

function linksIn(page: string): readonly Link[] {
  const found = proseOf(page).matchAll(/\]\(([^)\s]+)\)|\b(?:src|srcset|href)="([^"]+)"/g);
  return [...found]
    .map(([, target, attribute]) => target ?? attribute ?? "")
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? page : normalize(join(dirname(page), path));
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

test("every link leads to an existing file", () => {
  assert.ok(links.length > 100, "finds links");
  assert.deepEqual(
    links.filter(({ file }) => !existsSync(join(ROOT, file))),
    [],
  );
});

test("every link to a heading leads to an existing heading", () => {
  const anchored = links.filter(({ anchor }) => anchor !== undefined);
  assert.ok(anchored.length > 5, "finds links to headings");
  assert.deepEqual(
    anchored.filter(({ file, anchor = "" }) => !anchorsOf(file).includes(anchor)),
    [],
  );
});

test("the index reaches every page in docs", () => {
  const linked = linksIn(INDEX).map(({ file }) => file);
  assert.deepEqual(
    pages.filter((page) => page.startsWith("docs/") && page !== INDEX && !linked.includes(page)),
    [],
  );
});

test("the README reaches the index, and every page of the index is in the repository", () => {
  assert.ok(linksIn("README.md").some(({ file }) => file === INDEX));
  const linked = linksIn(INDEX).map(({ file }) => file);
  assert.deepEqual(
    linked.filter((file) => !pages.includes(file)),
    [],
  );
});
