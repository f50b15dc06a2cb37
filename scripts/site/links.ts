/** Checks the links of the built site, whatever made them: pages, files, images, headings. */
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";

const ORIGIN = "https://site.invalid";

/** Throws with a line for each dead link in `folder`, the site that is served below `base`. */
export async function checkLinks(
  folder: string,
  base: string,
): Promise<{ readonly pages: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = new Set(
    entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(folder, join(parentPath, name))),
  );
  const pages = new Map<string, string>();
  for (const file of files) {
    if (file.endsWith(".html")) pages.set(file, await readFile(`${folder}/${file}`, "utf8"));
  }
  const root = new URL(base.replace(/\/?$/, "/"), ORIGIN);
  const dead = [...pages].flatMap(([page, html]) =>
    targetsOf(html)
      .filter((target) => !leadsSomewhere(new URL(target, new URL(page, root))))
      .map((target) => `${page}: ${target}`),
  );
  if (dead.length > 0) throw new Error(`dead links:\n${[...new Set(dead)].join("\n")}`);
  return { pages: pages.size };

  function leadsSomewhere(url: URL): boolean {
    if (url.origin !== ORIGIN) return true;
    if (!url.pathname.startsWith(root.pathname)) return false;
    const path = decodeURIComponent(url.pathname.slice(root.pathname.length));
    const file = /(^|\/)$/.test(path) ? `${path}index.html` : path;
    const id = decodeURIComponent(url.hash.slice(1));
    return files.has(file) && (id === "" || pages.get(file)?.includes(` id="${id}"`) === true);
  }
}

// Inside a tag: code that is shown on a page can contain these attributes, too.
const targetsOf = (html: string): readonly string[] => [
  ...[...html.matchAll(/<[^<>]* (?:href|src)="([^"]+)"/g)].map(([, target = ""]) => target),
  ...[...html.matchAll(/ srcset="([^"]+)"/g)].flatMap(([, set = ""]) =>
    set.split(", ").map((entry) => entry.split(" ")[0] ?? ""),
  ),
];
