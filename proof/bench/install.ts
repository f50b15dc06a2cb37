import { execFile } from "node:child_process";
import { copyFile, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { packCopy } from "../../test/package/installed.ts";
import { type Locked, projectOf } from "./lock.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const ROOT = here("../../");
const TARBALL = "latchkey.tgz";

/** The lock file that has the packages. */
export type Origin = "latchkey" | "peers";

export interface Installed {
  readonly folder: string;
  /** Flags for Node. */
  readonly node: readonly string[];
  /** The path of a file of `peers`. */
  file(name: string): string;
  /** The arguments that start the gate, with the flags of its first line. */
  readonly gate: readonly string[];
  readonly packages: number;
  readonly bytes: number;
}

export interface Installer {
  /** A production install of the named packages in an empty folder, with the peers' code. */
  install(origin: Origin, names: readonly string[]): Promise<Installed>;
}

export async function createInstaller(folder: string): Promise<Installer> {
  let packed: Promise<string> | undefined;
  const locked: Readonly<Record<Origin, Locked>> = {
    latchkey: await withLatchkey(await lockedIn(ROOT)),
    peers: await lockedIn(here("peers/packages")),
  };
  const done = new Map<string, Promise<Installed>>();
  return {
    install(origin, names) {
      const key = [origin, ...names].join(" ");
      const started = done.get(key);
      if (started !== undefined) return started;
      const own = join(folder, `app-${done.size}`);
      // A failed build of Latchkey fails only Latchkey's measurement.
      if (names.includes("latchkey")) packed ??= packCopy(folder).then(({ tarball }) => tarball);
      const made = installIn(own, packed, locked[origin], names);
      done.set(key, made);
      return made;
    },
  };
}

async function lockedIn(folder: string): Promise<Locked> {
  return JSON.parse(await readFile(join(folder, "package-lock.json"), "utf8")).packages;
}

/** Latchkey's lock file, with Latchkey itself as a package. */
async function withLatchkey(locked: Locked): Promise<Locked> {
  const { version, dependencies, bin } = JSON.parse(
    await readFile(join(ROOT, "package.json"), "utf8"),
  );
  const latchkey = { version, resolved: `file:${TARBALL}`, dependencies, bin };
  return { ...locked, "node_modules/latchkey": latchkey };
}

async function installIn(
  folder: string,
  packed: Promise<string> | undefined,
  locked: Locked,
  names: readonly string[],
): Promise<Installed> {
  const tarball = await packed;
  const { manifest, lock, places } = projectOf(locked, names);
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  await writeFile(join(folder, "package-lock.json"), JSON.stringify(lock));
  if (tarball !== undefined) await copyFile(tarball, join(folder, TARBALL));
  const flags = ["--omit=dev", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
  await run(folder, [...(await npmCommand()), "ci", ...flags]);
  await copyPeers(folder);
  const modules = join(folder, "node_modules");
  return {
    folder,
    node: [],
    file: (name) => join(folder, `${name}.js`),
    gate: [SMALL_NEW_SPACE, join(modules, "latchkey/dist/cli/main.cjs"), "serve"],
    packages: await countOf(folder, places),
    bytes: await bytesIn(modules),
  };
}

/**
 * The unit, the image, the executable and `npm start` set this option. New objects then stay in the
 * cache of the processor, which the default of 16 MiB exceeds.
 */
export const SMALL_NEW_SPACE = "--max-semi-space-size=4";

/** Copies plain JavaScript, so that a start does not include type stripping. */
async function copyPeers(folder: string): Promise<void> {
  for (const name of await readdir(here("peers"))) {
    if (!name.endsWith(".ts") || name.endsWith(".d.ts")) continue;
    const code = stripTypeScriptTypes(await readFile(join(here("peers"), name), "utf8"));
    const plain = code.replaceAll(/(["`]\.\/[^"`\n]*)\.ts(["`])/g, "$1.js$2");
    await writeFile(join(folder, `${name.slice(0, -3)}.js`), plain);
  }
}

/** Counts the installed packages; those of other platforms have no folder. */
async function countOf(folder: string, places: readonly string[]): Promise<number> {
  const sizes = await Promise.all(
    places.map((place) => stat(join(folder, place, "package.json")).catch(() => undefined)),
  );
  return sizes.filter((size) => size !== undefined).length;
}

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile() && entry.name !== ".package-lock.json")
      .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** The npm that started this program, run by the same Node. */
async function npmCommand(): Promise<readonly string[]> {
  const started = process.env.npm_execpath;
  if (started !== undefined) return [started];
  const { stdout } = await promisify(execFile)("npm", ["root", "--global"]);
  return [join(stdout.trim(), "npm/bin/npm-cli.js")];
}

async function run(cwd: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, args, { cwd }).catch(
    (error: { message: string; stdout: string; stderr: string }) => {
      throw new Error(`${error.message}\n${error.stdout}${error.stderr}`.slice(0, 2_000));
    },
  );
}
