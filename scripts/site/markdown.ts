/** Turns a page of the repository into one of the site. The Markdown itself stays as it is. */
import { dirname, join, relative } from "node:path/posix";
import { INDEX } from "./pages.ts";

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
  const { routes } = site;
  const [, title = "", body = ""] = /^# (.+)\n+([\s\S]*)$/.exec(source) ?? [];
  const images: string[] = [];
  const files: string[] = [];
  const drawings = new Map<string, string>();
  const here = `/${routes.get(file)}`;

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
    drawings.set(drawing, site.draw(`${kind}${rest}`));
    return `![${title}](${imageUrl(drawing)})`;
  };

  const text = withTabs(body)
    .split(FENCE)
    .map((part, at) => (at % 2 === 0 ? prose(part) : block(part)))
    .join("");
  return { text: `${frontMatter(file, title, body)}\n${text}`, images, files, drawings };
}

/** The description is the first paragraph, which says what the page helps the reader do. */
function frontMatter(file: string, title: string, body: string): string {
  const [first = ""] = body.split("\n\n");
  // The index would be found for the title of every page.
  const fields = { title: plain(title), description: plain(first), pagefind: file !== INDEX };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return ["---", ...lines, "---", ""].join("\n");
}

const plain = (markdown: string): string =>
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
