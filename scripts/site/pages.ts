/**
 * The pages of the site, their addresses and their navigation, all read from `docs/README.md` and the
 * list of recipes.
 */
import { dirname, join } from "node:path/posix";

/** The start page has its beginning and its comparison, and the quick start the steps in between. */
export const README = "README.md";
export const INDEX = "docs/README.md";
/** Lists a page for each recipe. The navigation has only the list. */
export const RECIPES = "docs/apps/recipes.md";

export interface NavigationPage {
  readonly label: string;
  /** The address, from the root of the site. */
  readonly link: string;
}

export interface NavigationGroup {
  readonly label: string;
  readonly items: readonly (NavigationPage | NavigationGroup)[];
  readonly collapsed?: boolean;
}

/** A link to a page, without those to a heading. */
const LINK = /\[([^\]]+)\]\(([^)#\s]+)\)/g;

/** Every page that the texts link to, by its path in the repository, with its address. */
export function readRoutes(
  texts: Readonly<Record<typeof INDEX | typeof RECIPES, string>>,
): ReadonlyMap<string, string> {
  const files = Object.entries(texts).flatMap(([page, text]) =>
    [...text.matchAll(LINK)].map(([, , target = ""]) => fileOf(page, target)),
  );
  return new Map([...files, INDEX].map((file) => [file, routeOf(file)]));
}

const fileOf = (page: string, target: string): string => join(dirname(page), target);

/** `docs/proxies/caddy.md` is at `proxies/caddy`, and `docs/deploy/README.md` at `deploy`. */
function routeOf(file: string): string {
  if (file === README) return "quick-start";
  if (file === INDEX) return "documentation";
  return file
    .replace(/^docs\//, "")
    .replace(/(\/README)?\.md$/, "")
    .toLowerCase();
}

/**
 * A group for each section of the index and each part of a section, in their order. A line whose text
 * comes before its first link ("On Node.js: …") is a group of its own; from every other line, each link
 * is a page.
 */
export function readNavigation(index: string): readonly NavigationGroup[] {
  const [, ...sections] = index.split(/^## /m);
  return sections.map((section) => {
    const [own = "", ...parts] = section.split(/^### /m);
    const { label, items } = readGroup(own);
    return { label, items: [...items, ...parts.map((part) => fold(readGroup(part)))] };
  });
}

function readGroup(text: string): NavigationGroup {
  const [label = "", ...lines] = text.trimEnd().split("\n");
  return { label, items: lines.filter((line) => line.startsWith("- ")).flatMap(itemsOf) };
}

/** Groups within a section are folded, unless they have the current page. */
const fold = (group: NavigationGroup): NavigationGroup => ({ ...group, collapsed: true });

function itemsOf(line: string): NavigationGroup["items"] {
  const pages = [...line.matchAll(LINK)].map(([, label = "", target = ""]) => ({
    // A phrase such as "run with systemd", unlike a name such as "nginx".
    label: label.includes(" ") ? label.charAt(0).toUpperCase() + label.slice(1) : label,
    link: `/${routeOf(fileOf(INDEX, target))}/`.replace("//", "/"),
  }));
  const [, label] = /^- ([^[]+): \[/.exec(line) ?? [];
  return label === undefined ? pages : [fold({ label, items: pages })];
}
