/** Builds the package in the current directory into `dist`. A checkout runs from `src`, unbuilt. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type Plugin, transform } from "esbuild";
import { locatePageFiles } from "../src/pages/page-files.ts";
import { readForRelease } from "./release/page-files.ts";

const TSC = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
/** What modules read at run time, from where it is. */
const PAGE_FILES = "src/pages/templates";
const SCRIPT = "src/proxies/latchkey.lua";
const COMMANDS = "src/cli/latchkey.ts";
const GATE = "src/cli/gate.ts";
const WORDS = "src/pages/words";

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

/** The packages whose modules would take longer to find than the rest of the start. */
const CONTAINED = ["kysely", "eta"];

const OWN_URL =
  'const urlInDist = (path) => new URL(path, require("node:url").pathToFileURL(__filename)).href;';

const { bin, dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
rmSync("dist", { recursive: true, force: true });
execFileSync(process.execPath, [TSC, "-p", "tsconfig.build.json"], { stdio: "inherit" });
if (existsSync(WORDS)) copyTexts();
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
 * Copies the texts of all languages, of which TypeScript copies only the English ones. Replaces the
 * import of these in the declarations by their type, because TypeScript 5.8 does not find the type of
 * JSON with `"module": "nodenext"`.
 */
function copyTexts(): void {
  const copy = WORDS.replace("src", "dist");
  cpSync(WORDS, copy, { recursive: true });
  const texts = JSON.parse(readFileSync(`${copy}/en.json`, "utf8"));
  const blank = JSON.stringify(texts, (_, text) => (typeof text === "string" ? "" : text), 2);
  const declared = `declare const en: ${blank.replaceAll(': ""', ": string")};`;
  const declarations = readFileSync(`${copy}.d.ts`, "utf8");
  const replaced = declarations.replace(/^import en from .*$/m, declared);
  if (replaced === declarations) throw new Error(`${copy}.d.ts does not import en.json`);
  writeFileSync(`${copy}.d.ts`, replaced);
}

/**
 * The commands in one CommonJS file, and the gate in others, because finding and linking modules took
 * most of the start. An `import` also reads every export of a module of Node.js, and so loads Web
 * Crypto and workers; `require` does not. The library keeps a file per module, for the debuggers and
 * bundlers of its users.
 */
async function bundleCommands(): Promise<void> {
  for (const folder of ["cli", "gate", "doctor", "proxies"]) {
    rmSync(`dist/${folder}`, { recursive: true, force: true });
  }
  const options: BuildOptions = {
    outdir: "dist/cli",
    outExtension: { ".js": ".cjs" },
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node24",
    external: Object.keys(dependencies).filter((name) => !CONTAINED.includes(name)),
  };
  const plugins = [ownUrls, withoutComments];
  await build({ ...options, entryPoints: [COMMANDS], plugins, banner: { js: OWN_URL } });
  await bundleGate({ ...options, plugins });
  for (const file of readdirSync("dist/cli")) {
    if (/[\u0100-\uffff]/.test(readFileSync(`dist/cli/${file}`, "utf8"))) {
      throw new Error(`one character beyond Latin-1 doubles the memory of ${file}: escape it`);
    }
  }
  // A file of its own, because it must run on old versions of Node.js.
  await build({
    ...options,
    entryPoints: ["src/cli/main.ts"],
    external: ["./gate.ts", "./latchkey.ts"],
    supported: { "dynamic-import": false },
  });
  const main = readFileSync("dist/cli/main.cjs", "utf8");
  writeFileSync("dist/cli/main.cjs", main.replaceAll(/"(\.\/\w+)\.ts"/g, '"$1.cjs"'));
}

/**
 * esbuild can only split ES modules. Without splitting, each module that is loaded on use, and each
 * module that it imports, would be a function with all its exports, also those that nothing uses:
 * that took 3 MB of the gate's memory.
 */
async function bundleGate(options: BuildOptions): Promise<void> {
  const { outputFiles } = await build({
    ...options,
    entryPoints: [GATE],
    chunkNames: "gate-[name]-[hash]",
    format: "esm",
    splitting: true,
    write: false,
  });
  for (const { path, text } of outputFiles) {
    const { code } = await transform(text, {
      format: "cjs",
      // With this name, esbuild imports the packages like Node.js does.
      sourcefile: `${path}.mjs`,
      // `import()` would look for the exports in the text of the file, and find none.
      supported: { "dynamic-import": false },
    });
    writeFileSync(path, `${OWN_URL}\n${code}`);
  }
}
