import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { type Loader, transformSync } from "esbuild";

const LOADERS: Readonly<Record<string, Loader>> = { ".css": "css", ".js": "js" };

/**
 * A page file as the package and the executable contain it: style sheets and scripts are minified.
 * A checkout serves the files as they are.
 */
export function readForRelease(path: string): string {
  const text = readFileSync(path, "utf8");
  const loader = LOADERS[extname(path)];
  if (loader === undefined) return text;
  // The target keeps the syntax at the level of the scripts.
  return transformSync(text, { loader, minify: true, charset: "utf8", target: "es2022" }).code;
}
