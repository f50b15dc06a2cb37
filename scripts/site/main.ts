/** Builds the documentation site into `scripts/site/dist`: `npm run build -- site`. */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildSite } from "./build.ts";

const OUT = fileURLToPath(new URL("dist/", import.meta.url));
const { values } = parseArgs({ options: { base: { type: "string", default: "/" } } });

const { pages } = await buildSite(OUT, values.base);
process.stdout.write(`Built ${pages} pages in scripts/site/dist.\n`);
