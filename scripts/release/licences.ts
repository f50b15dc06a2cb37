import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./executable.ts";

/** The licences of the packages and of Node.js, which have to go with the executable. */
export function licences(packages: readonly string[], ofNode: string): string {
  const texts = packages.map((name) => [name, licenceOf(name)] as const);
  return [...texts, ["Node.js", readFileSync(ofNode, "utf8")] as const]
    .map(([name, text]) => `${name}\n\n${text.trim()}\n`)
    .join(`\n${"=".repeat(80)}\n\n`);
}

/** The text of a package, or what its manifest says if it contains no text. */
function licenceOf(name: string): string {
  const folder = join(ROOT, "node_modules", name);
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  if (file !== undefined) return readFileSync(join(folder, file), "utf8");
  const { license, author } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (license === undefined) throw new Error(`${name} names no licence`);
  return `${license}, ${author?.name ?? author}`;
}
