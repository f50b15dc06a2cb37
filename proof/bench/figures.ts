import { readFile, writeFile } from "node:fs/promises";

export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** The median and the quartiles. */
export function spreadOf(values: readonly number[]): Spread {
  return {
    median: quantile(values, 0.5),
    low: quantile(values, 0.25),
    high: quantile(values, 0.75),
  };
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const index = Math.min(sorted.length - 1, Math.floor(share * sorted.length));
  return sorted[index] ?? Number.NaN;
}

export type Rows = readonly (readonly string[])[];

/** Text in columns, the first left-aligned, the others right-aligned. */
export function table(rows: Rows): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return column === 0 ? cell.padEnd(width) : cell.padStart(width);
        })
        .join("  "),
    )
    .join("\n");
}

export function asMarkdown(rows: Rows): string {
  const [head = [], ...body] = rows.map((row) => `| ${row.join(" | ")} |`);
  const rule = `|---|${"---:|".repeat((rows[0]?.length ?? 1) - 1)}`;
  return [head, rule, ...body].join("\n");
}

/** Replaces the text between two comments on a page of the documentation. */
export async function writeBetween(page: string, mark: string, text: string): Promise<void> {
  const before = await readFile(page, "utf8");
  const marked = new RegExp(`(<!-- ${mark}: begin -->\n).*(<!-- ${mark}: end -->)`, "s");
  if (!marked.test(before)) throw new Error(`${page} lacks the comments that mark ${mark}`);
  await writeFile(
    page,
    before.replace(marked, (_, begin, end) => `${begin}${text}\n${end}`),
  );
}

export interface Picture {
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly style: string;
  /** The elements below the title. */
  readonly content: readonly string[];
}

/** An SVG picture with a title and a transparent ground, for light and dark themes. */
export const picture = ({ title, width, height, style, content }: Picture): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<style>${FRAME_STYLE}${style}</style>`,
    `<text class="title text" x="16" y="28">${escaped(title)}</text>`,
    ...content,
    "</svg>",
    "",
  ].join("\n");

const FRAME_STYLE = `
  svg { color-scheme: light dark; }
  .text { fill: #1f2328; }
  text { font: 13px system-ui, "Segoe UI", sans-serif; }
  .title { font-size: 15px; font-weight: 600; }
  @media (prefers-color-scheme: dark) { .text { fill: #f0f6fc; } }`;

/** Escapes text for SVG. */
export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
