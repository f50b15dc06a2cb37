/** Builds the package in the current directory into `dist`. A checkout runs from `src`, unbuilt. */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const TSC = fileURLToPath(new URL("node_modules/typescript/bin/tsc", import.meta.url));
const TEMPLATES = "src/web/pages/templates";
const COMMANDS = "src/cli/latchkey.ts";
const WORDS = "dist/web/pages/words";

rmSync("dist", { recursive: true, force: true });
execFileSync(process.execPath, [TSC, "-p", "tsconfig.build.json"], { stdio: "inherit" });
if (existsSync(TEMPLATES)) cpSync(TEMPLATES, TEMPLATES.replace("src", "dist"), { recursive: true });
if (existsSync(`${WORDS}.d.ts`)) declareTexts();
if (existsSync(COMMANDS)) await bundleCommands();
const { bin } = JSON.parse(readFileSync("package.json", "utf8"));
for (const file of Object.values<string>(bin)) chmodSync(file, 0o755);

/**
 * Replaces the import of the English texts in the declarations by their type, because TypeScript 5.8
 * does not find the type of JSON with `"module": "nodenext"`.
 */
function declareTexts(): void {
  const texts = JSON.parse(readFileSync(`${WORDS}/en.json`, "utf8"));
  const blank = JSON.stringify(texts, (_, text) => (typeof text === "string" ? "" : text), 2);
  const declared = `declare const en: ${blank.replaceAll(': ""', ": string")};`;
  const declarations = readFileSync(`${WORDS}.d.ts`, "utf8");
  const replaced = declarations.replace(/^import en from .*$/m, declared);
  if (replaced === declarations) throw new Error(`${WORDS}.d.ts does not import en.json`);
  writeFileSync(`${WORDS}.d.ts`, replaced);
}

/**
 * The commands and the gate in one CommonJS file, because finding and linking modules took most of
 * the start. An `import` also reads every export of a module of Node.js, and so loads Web Crypto and
 * workers; `require` does not. The library keeps a file per module, for the debuggers and bundlers
 * of its users.
 */
async function bundleCommands(): Promise<void> {
  for (const folder of ["cli", "gate", "doctor"]) {
    rmSync(`dist/${folder}`, { recursive: true, force: true });
  }
  const options = {
    outdir: "dist/cli",
    outExtension: { ".js": ".cjs" },
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node24",
    packages: "external",
  } as const;
  await build({
    ...options,
    entryPoints: [COMMANDS],
    // Of the modules in the file, only the one beside the templates and the one that requires the
    // list of public suffixes ask for their URL.
    define: { "import.meta.url": "inPages" },
    banner: {
      js: 'const inPages = new URL("../web/pages/", require("node:url").pathToFileURL(__filename));',
    },
  });
  // A file of its own, because it must run on old versions of Node.js.
  await build({
    ...options,
    entryPoints: ["src/cli/main.ts"],
    external: ["./latchkey.ts"],
    supported: { "dynamic-import": false },
  });
  const main = readFileSync("dist/cli/main.cjs", "utf8");
  writeFileSync("dist/cli/main.cjs", main.replace("./latchkey.ts", "./latchkey.cjs"));
}
