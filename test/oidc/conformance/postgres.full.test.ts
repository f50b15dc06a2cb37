/** Every module once more, on PostgreSQL. */
import { readdirSync } from "node:fs";

process.env.CONFORMANCE_DATABASE = "PostgreSQL";

const FOLDER = new URL("./", import.meta.url);
const isModule = (name: string): boolean =>
  name.endsWith(".test.ts") && !name.endsWith(".full.test.ts") && name !== "plans.test.ts";

for (const name of readdirSync(FOLDER).filter(isModule)) await import(`./${name}`);
