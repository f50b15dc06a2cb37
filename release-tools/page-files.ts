import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { type Loader, transformSync } from "esbuild";

const LOADERS: Readonly<Record<string, Loader>> = { ".css": "css", ".js": "js" };

/**
 * A page file as the package and the executable contain it: style sheets and scripts are minified.
 * A checkout serves the files as they are.
 */
export function readForRelease(folder: string, name: string): string {
  const text = readFileSync(join(folder, name), "utf8");
  const loader = LOADERS[extname(name)];
  if (loader === undefined) return text;
  // The target keeps the syntax at the level of the scripts.
  return transformSync(text, { loader, minify: true, charset: "utf8", target: "es2022" }).code;
}

/** Copies the page files of a folder into another as the package contains them. */
export function copyForRelease(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  for (const name of readdirSync(from)) writeFileSync(join(to, name), readForRelease(from, name));
}
