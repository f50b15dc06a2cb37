/** Builds the package in the current directory into `dist`. A checkout runs from `src`, unbuilt. */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const TSC = fileURLToPath(new URL("node_modules/typescript/bin/tsc", import.meta.url));
const TEMPLATES = "src/web/pages/templates";
const COMMANDS = "src/cli/latchkey.ts";

rmSync("dist", { recursive: true, force: true });
execFileSync(process.execPath, [TSC, "-p", "tsconfig.build.json"], { stdio: "inherit" });
if (existsSync(TEMPLATES)) cpSync(TEMPLATES, TEMPLATES.replace("src", "dist"), { recursive: true });
if (existsSync(COMMANDS)) await bundleCommands();
const { bin } = JSON.parse(readFileSync("package.json", "utf8"));
for (const file of Object.values<string>(bin)) chmodSync(file, 0o755);

/**
 * The commands and the gate in one CommonJS file, because finding and linking modules took most of
 * the start. An `import` also reads every export of a module of Node.js, and so loads Web Crypto and
 * workers; `require` does not. The library keeps a file per module, for the debuggers and bundlers
 * of its users.
 */
async function bundleCommands(): Promise<void> {
  const main = readFileSync("dist/cli/main.js", "utf8");
  for (const folder of ["cli", "gate", "doctor"]) {
    rmSync(`dist/${folder}`, { recursive: true, force: true });
  }
  await build({
    entryPoints: [COMMANDS],
    outfile: "dist/cli/latchkey.cjs",
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node24",
    packages: "external",
    // Of the modules in the file, only the one beside the templates asks for its URL.
    define: { "import.meta.url": "inPages" },
    banner: {
      js: 'const inPages = new URL("../web/pages/", require("node:url").pathToFileURL(__filename));',
    },
  });
  writeFileSync("dist/cli/main.js", main.replace("./latchkey.js", "./latchkey.cjs"));
}
