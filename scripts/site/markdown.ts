/** Turns a page of the repository into one of the site. The Markdown itself stays as it is. */
import { dirname, join, relative } from "node:path/posix";
import { INDEX, README, RECIPES } from "./pages.ts";

export interface Site {
  /** The address of each page by its path in the repository. */
  readonly routes: ReadonlyMap<string, string>;
  /** Draws a Mermaid diagram as SVG. */
  draw(diagram: string): string;
}

export interface SitePage {
  /** Markdown with front matter. */
  readonly text: string;
  /** The images on it and the other files that it links to, as paths in the repository. */
  readonly images: readonly string[];
  readonly files: readonly string[];
  /** Drawn diagrams by their place among the images. */
  readonly drawings: ReadonlyMap<string, string>;
}

const FENCE = /^( *```[\s\S]*?^ *```)$/m;
/** A diagram, and its title for screen readers. */
const MERMAID = /^```mermaid\n(\S.*\n)(?: *accTitle: (.+)\n)?([\s\S]*)```$/;
const IMAGE = /\.(png|svg)$/;
/** Two or more blocks in a row that begin with the name of a program: "Caddy, above …:". */
const ALTERNATIVES = /(?:^\w+, [^\n]*:\n\n```\w*\n[\s\S]*?^```\n+){2,}/gm;
const ALTERNATIVE = /^(\w+), [^\n]*:\n\n```\w*\n[\s\S]*?^```\n/gm;
const PICTURE =
  /<picture><source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)"><img src="([^"]+)"[^>]* alt="([^"]+)"><\/picture>/g;

export function toSitePage(file: string, source: string, site: Site): SitePage {
  const { title, body } = splitTitle(source);
  const place = { file, here: `/${site.routes.get(file)}` };
  switch (file) {
    case README:
      return convert(
        place,
        createFrontMatter("Quick start", QUICK_START),
        quickStartOf(body),
        site,
      );
    case RECIPES:
      return convert(place, createFrontMatter(title, introOf(body)), withSearch(body), site);
    default: {
      // The index would be found for the title of every page.
      const more = { pagefind: file !== INDEX };
      return convert(place, createFrontMatter(title, introOf(body), more), withTabs(body), site);
    }
  }
}

const QUICK_START = "Try Latchkey, run it on your machine, or use it as a library.";

/** The sections of README.md with commands. */
function quickStartOf(body: string): string {
  const steps = sectionsOf(body).filter((section) => /^```/m.test(section));
  return `${QUICK_START}\n\n${steps.join("")}`;
}

/** The beginning of README.md, a search for recipes, and the sections with a table. */
export function toStartPage(readme: string, recipes: string, site: Site): SitePage {
  const { title, body } = splitTitle(readme);
  const tagline = introOf(body);
  const [start = ""] = body.split(SECTION);
  const tables = sectionsOf(body).filter((section) => /^\|/m.test(section));
  const parts = [start.slice(tagline.length).trim(), recipeList(recipes), ...tables];
  const hero = { title, tagline: toPlainText(tagline), actions: ACTIONS };
  const head = createFrontMatter(title, tagline, { template: "splash", hero });
  return convert({ file: README, here: "/" }, head, parts.join("\n\n"), site);
}

const SECTION = /^(?=## )/m;
const sectionsOf = (body: string): readonly string[] => body.split(SECTION).slice(1);

const ACTIONS = [
  { text: "Tutorial", link: "tutorial/", icon: "right-arrow" },
  { text: "Quick start", link: "quick-start/", variant: "secondary" },
  { text: "All pages", link: "documentation/", variant: "minimal" },
] as const;

/** Every recipe in one list, which shows what fits once something is typed. */
function recipeList(recipes: string): string {
  const rows = recipes.matchAll(/^\| \[([^\]]+)\]\(([^)]+)\)[^|]*\| ([^|]+) \|/gm);
  const items = [...rows].map(
    ([, name = "", target = "", about = ""]) =>
      `- [${name}](${join(dirname(RECIPES), target)}) ${about}`,
  );
  return `<recipe-search data-list data-pagefind-ignore>\n\n${items.join("\n")}\n\n</recipe-search>`;
}

/** The tables of all recipes, of which a search shows those that fit. */
const withSearch = (body: string): string =>
  body.replace(/^## [\s\S]*/m, (tables) => `<recipe-search>\n\n${tables}\n</recipe-search>\n`);

function splitTitle(source: string): { readonly title: string; readonly body: string } {
  // The README has the logo before its name. The site has it in the bar of every page.
  const [, title = "", body = ""] = /^# (?:<img [^>]*> )?(.+)\n+([\s\S]*)$/.exec(source) ?? [];
  return { title, body };
}

/** Turns Markdown of a file of the repository into that of the page at `here`. */
function convert(
  { file, here }: { readonly file: string; readonly here: string },
  head: string,
  body: string,
  { routes, draw }: Site,
): SitePage {
  const images: string[] = [];
  const files: string[] = [];
  const drawings = new Map<string, string>();

  const imageUrl = (image: string): string =>
    relative(dirname(`/docs${here}.md`), `/images/${image}`);

  /** Relative, so that the site works at any address. */
  const resolve = (target: string): string => {
    if (/^([a-z]+:|#)/.test(target)) return target;
    const [path = "", anchor] = target.split("#");
    const hash = anchor === undefined ? "" : `#${anchor}`;
    const linked = join(dirname(file), path);
    const route = routes.get(linked);
    if (route !== undefined) return `${relative(here, `/${route}`) || "."}/${hash}`;
    if (IMAGE.test(linked)) {
      images.push(linked);
      return imageUrl(linked);
    }
    files.push(linked);
    return relative(here, `/files/${linked}`);
  };

  const prose = (text: string): string =>
    text
      .replaceAll(
        PICTURE,
        '<span class="for-light">![$3]($2)</span><span class="for-dark">![$3]($1)</span>',
      )
      .replaceAll(/`[^`\n]*`|(?<=\]\()([^)\s]+)(?=\))/g, (whole, target?: string) =>
        target === undefined ? whole : resolve(target),
      );

  const block = (fenced: string): string => {
    const [, kind, title = "Diagram", rest] = MERMAID.exec(fenced) ?? [];
    if (kind === undefined || rest === undefined) return fenced;
    const drawing = `drawings/${drawings.size}${here}.svg`;
    drawings.set(drawing, draw(`${kind}${rest}`));
    return `![${title}](${imageUrl(drawing)})`;
  };

  const text = body
    .split(FENCE)
    .map((part, at) => (at % 2 === 0 ? prose(part) : block(part)))
    .join("");
  return { text: `${head}\n${text}`, images, files, drawings };
}

/** The first paragraph, which says what the page helps the reader do. */
const introOf = (body: string): string => body.split("\n\n", 1)[0] ?? "";

function createFrontMatter(
  title: string,
  intro: string,
  more: Readonly<Record<string, unknown>> = {},
): string {
  const fields = { title: toPlainText(title), description: toPlainText(intro), ...more };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return ["---", ...lines, "---", ""].join("\n");
}

const toPlainText = (markdown: string): string =>
  markdown.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1").replaceAll(/[`*]/g, "");

/** Puts alternatives into tabs; several blocks of one program share a tab. */
function withTabs(body: string): string {
  return body.replaceAll(ALTERNATIVES, (run) => {
    const tabs = Map.groupBy(run.matchAll(ALTERNATIVE), ([, label = ""]) => label);
    const panels = [...tabs].map(
      ([label, blocks]) =>
        `<div data-label="${label}">\n\n${blocks.map(([block]) => block).join("\n")}\n</div>\n`,
    );
    return `<code-tabs>\n\n${panels.join("\n")}\n</code-tabs>\n\n`;
  });
}
