/** Builds the package in the current directory into `dist`. A checkout runs from `src`, unbuilt. */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const TSC = fileURLToPath(new URL("node_modules/typescript/bin/tsc", import.meta.url));
const TEMPLATES = "src/web/pages/templates";
const COMMANDS = "src/cli/main.ts";

rmSync("dist", { recursive: true, force: true });
execFileSync(process.execPath, [TSC, "-p", "tsconfig.build.json"], { stdio: "inherit" });
if (existsSync(TEMPLATES)) cpSync(TEMPLATES, TEMPLATES.replace("src", "dist"), { recursive: true });
if (existsSync(COMMANDS)) await bundleCommands();
const { bin } = JSON.parse(readFileSync("package.json", "utf8"));
for (const file of Object.values<string>(bin)) chmodSync(file, 0o755);

/**
 * The commands and the gate in few files, which Node.js loads in two thirds of the time. The library
 * keeps a file per module, for the debuggers and bundlers of its users.
 */
async function bundleCommands(): Promise<void> {
  for (const folder of ["cli", "gate", "doctor"]) {
    rmSync(`dist/${folder}`, { recursive: true, force: true });
  }
  await build({
    entryPoints: { "cli/main": COMMANDS },
    outdir: "dist",
    // As deep as src/web/pages, so that the path of the templates is the same.
    chunkNames: "cli/parts/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    packages: "external",
  });
}
