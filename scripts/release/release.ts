/**
 * `npm run build -- release` writes what is published into `release`. The same commit gives the same bytes:
 * nothing depends on the time, the folder or the user.
 */
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
import { nodeVersion, ROOT, writeExecutable } from "./executable.ts";
import { findAddons, getImageName, writeImage } from "./image.ts";
import {
  type Inputs,
  PLATFORM_NAMES,
  prepareInputs,
  requireReproducible,
  run,
  runScript,
  say,
} from "./inputs.ts";
import { billOfMaterials } from "./sbom.ts";

const OUTPUT = join(ROOT, "release");
/** The npm that started this script, on the same Node.js. */
const npm = (args: readonly string[], cwd?: string): string =>
  run(process.execPath, [process.env.npm_execpath ?? "", "--loglevel=error", ...args], cwd);

/** The files of the commit, with modes that do not depend on the checkout's umask. */
function exportCommit(folder: string): void {
  mkdirSync(folder);
  run("sh", ["-c", `git -c tar.umask=0022 archive HEAD | tar -x -C "$0"`, folder]);
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
}

/** A tar file with the executable under the name of the command, and the licences. */
function writeArchive(name: string, { notices, epoch }: Inputs): void {
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

async function buildRelease(): Promise<void> {
  requireReproducible();
  process.umask(0o022);
  rmSync(OUTPUT, { recursive: true, force: true });
  mkdirSync(OUTPUT);

  say("npm packages");
  const source = join(OUTPUT, "source");
  exportCommit(source);
  for (const folder of [source, join(source, "packages/attack")]) {
    npm(["pack", "--pack-destination", OUTPUT], folder);
  }
  rmSync(source, { recursive: true });

  const inputs = await prepareInputs();
  for (const platform of PLATFORM_NAMES) {
    const name = `latchkey-${platform}`;
    say(name);
    writeExecutable(inputs.bundle, inputs.targets[platform], join(OUTPUT, name));
    writeArchive(name, inputs);
  }

  say("image");
  const executables = {
    amd64: join(OUTPUT, "latchkey-linux-x64"),
    arm64: join(OUTPUT, "latchkey-linux-arm64"),
  };
  const digest = writeImage(
    { ...inputs, executables, addons: findAddons(inputs) },
    join(OUTPUT, getImageName(inputs.version)),
  );

  say("bill of materials and digests");
  // Without the workspaces: that with Node.js has the programs of all platforms.
  const which = ["--omit", "dev", "--package-lock-only", "--workspaces=false"];
  const listed = npm(["sbom", "--sbom-format", "cyclonedx", ...which]);
  const sbom = billOfMaterials(JSON.parse(listed), nodeVersion(), inputs.epoch);
  writeFileSync(join(OUTPUT, "latchkey.cdx.json"), `${JSON.stringify(sbom, null, 2)}\n`);
  writeSums();
  const time = new Date(inputs.epoch * 1_000).toISOString();
  say(`\nrelease/ of latchkey ${inputs.version}, ${time}, image ${digest}:\n`);
  say(readFileSync(join(OUTPUT, "SHA256SUMS"), "utf8"));
}

await runScript("release", buildRelease);
