/**
 * The Debian packages of which the image takes libraries: `debian.json` has the path and the digest of
 * each. They come from the Debian mirrors in the configuration of apt, for any architecture.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { ROOT } from "./executable.ts";
import { replaceFile } from "./replace-file.ts";

export type Architecture = "amd64" | "arm64";

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  /** The fields of the package, in the format of dpkg's status file. */
  readonly control: string;
}

interface Pins {
  /** The release of Debian. */
  readonly release: string;
  /** The SHA-256 of each package, by its path on a mirror. */
  readonly packages: Readonly<Record<Architecture, Readonly<Record<string, string>>>>;
}

const PINS = join(ROOT, "scripts/release/debian.json");
/** `gcc-14-base` has the licence of the libraries of GCC, and `base-files` the name of the release. */
const NAMES = ["base-files", "gcc-14-base", "libatomic1", "libc6", "libgcc-s1", "libstdc++6"];
const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";
const APT_HELPER = "/usr/lib/apt/apt-helper";

const readPins = (): Pins => JSON.parse(readFileSync(PINS, "utf8"));

/** Parses a path on a mirror, such as `pool/main/g/glibc/libc6_2.41-12%2bdeb13u5_arm64.deb`. */
function parsePath(path: string): Pick<DebianPackage, "name" | "version"> {
  const [name = "", version = ""] = decodeURIComponent(basename(path, ".deb")).split("_");
  return { name, version };
}

/** Lists the packages of the image for a bill of materials. */
export function listComponents(): readonly object[] {
  const { release, packages } = readPins();
  return Object.entries(packages).flatMap(([architecture, list]) =>
    Object.keys(list).map((path) => {
      const { name, version } = parsePath(path);
      const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}&distro=${release}`;
      return { type: "library", "bom-ref": purl, name, version, purl };
    }),
  );
}

/** Unpacks the packages of an architecture into a folder. The files are not run or changed. */
export function extractPackages(
  architecture: Architecture,
  folder: string,
): readonly DebianPackage[] {
  return Object.entries(readPins().packages[architecture]).map(([path, digest]) => {
    const file = download(path, digest);
    execFileSync("dpkg-deb", ["--extract", file, folder]);
    const control = execFileSync("dpkg-deb", ["--field", file], { encoding: "utf8" });
    return { ...parsePath(path), control };
  });
}

/** Returns the file of a package with this digest, from the cache or from the first mirror that has it. */
function download(path: string, digest: string): string {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  const folder = join(cache, "latchkey-debian");
  const file = join(folder, `${digest}.deb`);
  if (existsSync(file) && hash(file) === digest) return file;
  mkdirSync(folder, { recursive: true });
  const unfinished = mkdtempSync(join(folder, "unfinished-"));
  try {
    downloadFromMirrors(path, digest, join(unfinished, "deb"));
    renameSync(join(unfinished, "deb"), file);
  } finally {
    rmSync(unfinished, { recursive: true });
  }
  return file;
}

/** apt compares the digest. */
function downloadFromMirrors(path: string, digest: string, file: string): void {
  const failures: string[] = [];
  for (const { url } of findMirrors()) {
    const args = ["download-file", `${url}/${path}`, file, `SHA256:${digest}`];
    const { status, stderr } = runApt(APT_HELPER, args);
    if (status === 0) return;
    failures.push(stderr.trim());
  }
  throw new Error(
    `no Debian mirror has ${basename(path)} with the digest in debian.json. Mirrors drop a version when there is a newer one: run npm run build -- image --renew, or let apt use a mirror of the day of this commit\n${failures.join("\n")}`,
  );
}

const hash = (file: string): string =>
  createHash("sha256").update(readFileSync(file)).digest("hex");

interface Mirror {
  readonly url: string;
  readonly isSecurity: boolean;
}

/** Finds the mirrors of Debian in the configuration of apt, which needs no lists for that. */
function findMirrors(): readonly Mirror[] {
  const { stdout, stderr } = runApt("apt-get", ["update", "--print-uris"]);
  const found = [...stdout.matchAll(/^'(\S+)\/dists\/[^/]+?(-security)?\/InRelease'/gm)]
    .map(([, url = "", security]) => ({ url, isSecurity: security !== undefined }))
    .filter(({ url }) => /\/debian(-security)?(\/|$)/.test(url));
  const mirrors = [...new Map(found.map((mirror) => [mirror.url, mirror])).values()];
  if (mirrors.length > 0) return mirrors;
  throw new Error(
    `apt has no Debian mirror in its configuration: build on Debian. ${stderr}`.trim(),
  );
}

/** Writes the newest versions of the release into `debian.json`, and returns what changed. */
export function renewPins(): readonly string[] {
  const { release, packages: before } = readPins();
  const folder = mkdtempSync(join(tmpdir(), "latchkey-debian-"));
  try {
    const sources = join(folder, "sources.list");
    writeFileSync(
      sources,
      findMirrors()
        .flatMap((mirror) => listSources(mirror, release))
        .join(""),
    );
    const packages = {
      amd64: findNewest("amd64", folder, sources),
      arm64: findNewest("arm64", folder, sources),
    };
    replaceFile(PINS, `${JSON.stringify({ release, packages }, null, 2)}\n`);
    return (["amd64", "arm64"] as const).flatMap((architecture) =>
      Object.keys(packages[architecture])
        .filter((path) => !Object.hasOwn(before[architecture], path))
        .map((path) => decodeURIComponent(basename(path))),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const listSources = ({ url, isSecurity }: Mirror, release: string): readonly string[] =>
  (isSecurity ? [`${release}-security`] : [release, `${release}-updates`]).map(
    (suite) => `deb [signed-by=${KEYRING}] ${url} ${suite} main\n`,
  );

/** Asks the mirrors, with lists of its own: the architecture and the release need not be those of this system. */
function findNewest(
  architecture: Architecture,
  folder: string,
  sources: string,
): Readonly<Record<string, string>> {
  const state = join(folder, architecture);
  mkdirSync(join(state, "lists/partial"), { recursive: true });
  const options = [
    ["APT::Architecture", architecture],
    ["APT::Architectures", architecture],
    ["Acquire::Languages", "none"],
    ["Dir::State", state],
    ["Dir::State::status", "/dev/null"],
    ["Dir::Cache", state],
    ["Dir::Etc::SourceList", sources],
    ["Dir::Etc::SourceParts", "/dev/null"],
  ].flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  requireApt([...options, "--error-on=any", "update"]);
  const printed = requireApt([...options, "download", "--print-uris", ...NAMES]);
  const found = [...printed.matchAll(/^'\S+?\/(pool\/\S+)' \S+ \d+ SHA256:([0-9a-f]{64})$/gm)];
  if (found.length !== NAMES.length)
    throw new Error(`apt-get has not found all packages: ${printed}`);
  return Object.fromEntries(found.map(([, path = "", digest = ""]) => [path, digest]).sort());
}

function requireApt(args: readonly string[]): string {
  const { status, stdout, stderr } = runApt("apt-get", args);
  if (status !== 0) throw new Error(`apt-get ${args.at(-1)} failed: ${stderr.trim()}`);
  return stdout;
}

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program of apt, as this user also if that is root: the folders are its own. */
function runApt(program: string, args: readonly string[]): Ran {
  const ran = spawnSync(program, ["-q", "-o", "APT::Sandbox::User=", ...args], {
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C" },
  });
  if (ran.error === undefined) return ran;
  throw new Error(`cannot run ${program} (${ran.error.message}): build on Debian`);
}
