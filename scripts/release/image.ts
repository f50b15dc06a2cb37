/**
 * `npm run build -- image` writes the container image of the commit into `release`: an OCI layout in a tar
 * file, for both architectures. It needs no container engine, and the same commit gives the same digest.
 * `--renew` updates the pinned Debian packages instead.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { type Architecture, extractPackages, renewPins } from "./debian.ts";
import { addonsOf, ROOT, writeExecutable } from "./executable.ts";
import {
  type Inputs,
  type PlatformName,
  prepareInputs,
  requireReproducible,
  runScript,
  say,
} from "./inputs.ts";
import { replaceFile } from "./replace-file.ts";
import { packTar, type TarEntry } from "./tar.ts";

const NAME = "latchkey/latchkey";
/** Neither root nor a user of the host: the number that images without a shell use for it. */
const USER = 65_532;
const NANOSECONDS = 1_000_000_000;

interface Platform {
  readonly executable: PlatformName;
  readonly variant?: string;
  /** The folder of the libraries in the Debian packages and in the image. */
  readonly libraries: string;
  /** The path that the executable names as its loader. */
  readonly loader: string;
}

export const PLATFORMS: Readonly<Record<Architecture, Platform>> = {
  amd64: {
    executable: "linux-x64",
    libraries: "lib/x86_64-linux-gnu",
    loader: "lib64/ld-linux-x86-64.so.2",
  },
  arm64: {
    executable: "linux-arm64",
    variant: "v8",
    libraries: "lib/aarch64-linux-gnu",
    loader: "lib/ld-linux-aarch64.so.1",
  },
};

/** What Node.js and the native code link to. */
const LIBRARIES = [
  "libatomic.so.1",
  "libc.so.6",
  "libdl.so.2",
  "libgcc_s.so.1",
  "libm.so.6",
  "libpthread.so.0",
  "librt.so.1",
  "libstdc++.so.6",
];

/** The executable would otherwise write it to a temporary folder at each start. */
const NATIVE_CODE = "lib/latchkey";

/** The gate resolves names with the hosts file first, like any other program of the system. */
const NAME_SERVICE = "hosts: files dns\n";

const PASSWD = `root:x:0:0:root:/:/nologin
latchkey:x:${USER}:${USER}:Latchkey:/data:/nologin
`;
const GROUP = `root:x:0:
latchkey:x:${USER}:
`;

/** The files that an image is made of, beside the Debian packages. */
export interface ImageSource extends Pick<Inputs, "version" | "revision" | "epoch" | "notices"> {
  readonly executables: Readonly<Record<Architecture, string>>;
  /** The files of the native code, by their names in an executable. */
  readonly addons: Readonly<Record<Architecture, ReadonlyMap<string, string>>>;
}

/** A part of an image, which its digest names. */
interface Blob {
  readonly digest: string;
  readonly bytes: Buffer;
}

const MANIFEST = "application/vnd.oci.image.manifest.v1+json";
const INDEX = "application/vnd.oci.image.index.v1+json";
const CONFIG = "application/vnd.oci.image.config.v1+json";
const LAYER = "application/vnd.oci.image.layer.v1.tar+gzip";

/** Writes the image into a tar file, and returns its digest, which a registry shows as well. */
export function writeImage(source: ImageSource, file: string): string {
  const images = (["amd64", "arm64"] as const).map((architecture) =>
    createImage(source, architecture),
  );
  const index = createJsonBlob({
    schemaVersion: 2,
    mediaType: INDEX,
    manifests: images.map(({ manifest, platform }) => ({
      ...describe(MANIFEST, manifest),
      platform,
    })),
    annotations: listLabels(source),
  });
  const name = `${NAME}:${source.version}`;
  const layout = {
    schemaVersion: 2,
    mediaType: INDEX,
    manifests: [
      {
        ...describe(INDEX, index),
        annotations: { "org.opencontainers.image.ref.name": name },
      },
    ],
  };
  // Docker with its older store reads this list instead, and loads all of it on any machine.
  const dockerList = images.map(({ platform, config, layer }) => ({
    Config: getBlobPath(config),
    RepoTags: [platform.architecture === "amd64" ? name : `${name}-${platform.architecture}`],
    Layers: [getBlobPath(layer)],
  }));
  const blobs = [
    ...images.flatMap(({ manifest, config, layer }) => [manifest, config, layer]),
    index,
  ];
  const entries = [
    ...blobs.map((blob) => ({ path: getBlobPath(blob), content: blob.bytes })),
    { path: "index.json", content: formatJson(layout) },
    { path: "manifest.json", content: formatJson(dockerList) },
    { path: "oci-layout", content: formatJson({ imageLayoutVersion: "1.0.0" }) },
  ].map((entry) => ({ ...entry, mode: 0o644 }));
  replaceFile(file, packTar(addFolders(entries), source.epoch));
  return index.digest;
}

function createImage(source: ImageSource, architecture: Architecture) {
  const unpacked = packTar(listFiles(source, architecture), source.epoch);
  // Node.js would give other bytes on another processor. Level 9 takes three times as long for 0.4 %.
  const options = { input: unpacked, maxBuffer: unpacked.length };
  const layer = createBlob(execFileSync("gzip", ["-7n"], options));
  const { variant } = PLATFORMS[architecture];
  const platform = { architecture, os: "linux", ...(variant === undefined ? {} : { variant }) };
  const created = new Date(source.epoch * 1_000).toISOString();
  const config = createJsonBlob({
    created,
    ...platform,
    config: {
      User: `${USER}:${USER}`,
      ExposedPorts: { "3000/tcp": {} },
      Env: [
        "PATH=/",
        "NODE_ENV=production",
        "HOST=0.0.0.0",
        "DATA_DIR=/data",
        "TMPDIR=/data",
        `NATIVE_CODE_DIR=/${NATIVE_CODE}`,
      ],
      Entrypoint: ["/latchkey"],
      Cmd: ["serve"],
      Volumes: { "/data": {} },
      WorkingDir: "/",
      Labels: listLabels(source),
      // Not in the specification of OCI, but engines read it from here.
      Healthcheck: {
        Test: ["CMD", "/latchkey", "health"],
        Interval: 30 * NANOSECONDS,
        Timeout: 5 * NANOSECONDS,
        StartPeriod: 10 * NANOSECONDS,
        // Traefik sends a container no request before it is healthy.
        StartInterval: NANOSECONDS,
      },
    },
    rootfs: { type: "layers", diff_ids: [createBlob(unpacked).digest] },
    history: [{ created, created_by: "scripts/release/image.ts" }],
  });
  const manifest = createJsonBlob({
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: describe(CONFIG, config),
    layers: [describe(LAYER, layer)],
  });
  return { platform, manifest, config, layer };
}

const listLabels = ({ version, revision, epoch }: ImageSource) => ({
  "org.opencontainers.image.title": "Latchkey",
  "org.opencontainers.image.description": "A sign-in for self-hosted web apps",
  "org.opencontainers.image.licenses": "MIT",
  "org.opencontainers.image.version": version,
  "org.opencontainers.image.revision": revision,
  "org.opencontainers.image.created": new Date(epoch * 1_000).toISOString(),
});

/** Lists all files of the image. */
function listFiles(source: ImageSource, architecture: Architecture): readonly TarEntry[] {
  const { libraries, loader } = PLATFORMS[architecture];
  const unpacked = mkdtempSync(join(tmpdir(), "latchkey-image-"));
  try {
    const packages = extractPackages(architecture, unpacked);
    const from = (path: string): Buffer => readFileSync(join(unpacked, "usr", path));
    const program = (path: string, content: Buffer) => ({ path, content, mode: 0o755 });
    const plain = (path: string, content: string | Buffer) => ({
      path,
      content: Buffer.from(content),
      mode: 0o644,
    });
    return addFolders([
      program("latchkey", readFileSync(source.executables[architecture])),
      ...[...source.addons[architecture]].map(([name, file]) =>
        plain(`${NATIVE_CODE}/${name}`, readFileSync(file)),
      ),
      program(loader, from(join(libraries, basename(loader)))),
      ...LIBRARIES.map((name) => join(libraries, name)).map((path) => plain(path, from(path))),
      ...packages.flatMap(({ name, control }) => [
        // Scanners look here for the packages of an image without a package manager.
        plain(`var/lib/dpkg/status.d/${name}`, control),
        plain(`usr/share/doc/${name}/copyright`, from(`share/doc/${name}/copyright`)),
      ]),
      plain("usr/share/doc/latchkey/LICENSE", readFileSync(join(ROOT, "LICENSE"))),
      plain("usr/share/doc/latchkey/THIRD-PARTY-LICENSES", source.notices),
      plain("etc/os-release", from("lib/os-release")),
      plain("etc/nsswitch.conf", NAME_SERVICE),
      plain("etc/passwd", PASSWD),
      plain("etc/group", GROUP),
      // The only writable folder: the rest of the file system may be read-only.
      { path: "data", mode: 0o700, owner: USER },
    ]);
  } finally {
    rmSync(unpacked, { recursive: true });
  }
}

/** Adds the folders of the files, and sorts all by path, so that a folder comes before what is in it. */
function addFolders(files: readonly TarEntry[]): readonly TarEntry[] {
  const entries = new Map(files.map((file) => [file.path, file]));
  for (const { path } of files) {
    for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
      entries.set(folder, { path: folder, mode: 0o755 });
    }
  }
  return [...entries.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
}

function createBlob(bytes: Buffer): Blob {
  return { bytes, digest: `sha256:${createHash("sha256").update(bytes).digest("hex")}` };
}

const formatJson = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

const createJsonBlob = (value: unknown): Blob => createBlob(formatJson(value));

const describe = (mediaType: string, { digest, bytes }: Blob) => ({
  mediaType,
  digest,
  size: bytes.length,
});

const getBlobPath = ({ digest }: Blob): string => `blobs/${digest.replace(":", "/")}`;

/** Builds the executable of each architecture into a folder, and returns all files of an image. */
export function buildExecutables(inputs: Inputs, folder: string): ImageSource {
  const executables = { amd64: join(folder, "amd64"), arm64: join(folder, "arm64") };
  for (const architecture of ["amd64", "arm64"] as const) {
    const target = inputs.targets[PLATFORMS[architecture].executable];
    writeExecutable(inputs.bundle, target, executables[architecture]);
  }
  return { ...inputs, executables, addons: findAddons(inputs) };
}

/** Builds the image of the commit, and prints how to load it. */
async function buildForRelease(): Promise<void> {
  requireReproducible();
  const inputs = await prepareInputs();
  const output = join(ROOT, "release");
  mkdirSync(output, { recursive: true });
  const file = join(output, getImageName(inputs.version));
  const folder = mkdtempSync(join(tmpdir(), "latchkey-executables-"));
  try {
    say("executables");
    const source = buildExecutables(inputs, folder);
    say("image");
    showImage(inputs, file, writeImage(source, file));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function showImage({ version }: Inputs, file: string, digest: string): void {
  const path = relative("", file);
  say(`
${path}: ${NAME}:${version}, ${digest}

Load it:
  podman load --input ${path}
  docker load --input ${path}`);
}

/** Finds the native code in the packages. */
export const findAddons = ({ targets }: Inputs): ImageSource["addons"] => ({
  amd64: addonsOf(targets[PLATFORMS.amd64.executable]),
  arm64: addonsOf(targets[PLATFORMS.arm64.executable]),
});

export const getImageName = (version: string): string => `latchkey-${version}-image.tar`;

function renew(): void {
  const changed = renewPins();
  say(
    changed.length === 0
      ? "The Debian packages are the newest."
      : `Renewed:\n${changed.join("\n")}`,
  );
}

if (import.meta.main) {
  await runScript("image", async () => {
    const { values } = parseArgs({ options: { renew: { type: "boolean", default: false } } });
    if (values.renew) renew();
    else await buildForRelease();
  });
}
