/** Builds the package in the current directory into `dist`. A checkout runs from `src`, unbuilt. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin, transform } from "esbuild";
import { readForRelease } from "./release-tools/page-files.ts";
import { locatePageFiles } from "./src/pages/page-files.ts";

const TSC = fileURLToPath(new URL("node_modules/typescript/bin/tsc", import.meta.url));
/** What modules read at run time, from where it is. */
const PAGE_FILES = "src/pages/templates";
const SCRIPT = "src/proxies/latchkey.lua";
const COMMANDS = "src/cli/latchkey.ts";
const WORDS = "dist/pages/words";

/** Gives each module in the bundle the URL that it would have in `dist`, beside what it reads. */
const ownUrls: Plugin = {
  name: "own-urls",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const url = `urlInDist(${JSON.stringify(relative("src/cli", path))})`;
      const text = readFileSync(path, "utf8");
      return { contents: text.replaceAll("import.meta.url", url), loader: "ts" };
    });
  },
};

/** Leaves out Kysely's comments, which are a third of the file that each command parses and keeps. */
const withoutComments: Plugin = {
  name: "without-comments",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/]kysely[\\/].*\.js$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, "utf8"), { minifyWhitespace: true });
      return { contents: code };
    });
  },
};

const { bin, dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
rmSync("dist", { recursive: true, force: true });
execFileSync(process.execPath, [TSC, "-p", "tsconfig.build.json"], { stdio: "inherit" });
if (existsSync(`${WORDS}.d.ts`)) declareTexts();
if (existsSync(COMMANDS)) await bundleCommands();
if (existsSync(PAGE_FILES)) copyPageFiles();
if (existsSync(SCRIPT)) cpSync(SCRIPT, SCRIPT.replace("src", "dist"));

for (const file of Object.values<string>(bin)) chmodSync(file, 0o755);

/** Copies each page file to where its source is in `src`. */
function copyPageFiles(): void {
  for (const path of locatePageFiles().values()) {
    const copy = relative("", path).replace("src", "dist");
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, readForRelease(path));
  }
}

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
  for (const folder of ["cli", "gate", "doctor", "proxies"]) {
    rmSync(`dist/${folder}`, { recursive: true, force: true });
  }
  const options = {
    outdir: "dist/cli",
    outExtension: { ".js": ".cjs" },
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node24",
    // All but Kysely, whose modules would take longer to find than the rest of the start.
    external: Object.keys(dependencies).filter((name) => name !== "kysely"),
  } as const;
  await build({
    ...options,
    entryPoints: [COMMANDS],
    plugins: [ownUrls, withoutComments],
    banner: {
      js: 'const urlInDist = (path) => new URL(path, require("node:url").pathToFileURL(__filename)).href;',
    },
  });
  const commands = readFileSync("dist/cli/latchkey.cjs", "utf8");
  if (/[\u0100-\uffff]/.test(commands)) {
    throw new Error("one character beyond Latin-1 doubles the memory of the commands: escape it");
  }
  // A file of its own, because it must run on old versions of Node.js.
  await build({
    ...options,
    entryPoints: ["src/cli/main.ts"],
    external: [...options.external, "./latchkey.ts"],
    supported: { "dynamic-import": false },
  });
  const main = readFileSync("dist/cli/main.cjs", "utf8");
  writeFileSync("dist/cli/main.cjs", main.replace("./latchkey.ts", "./latchkey.cjs"));
}
