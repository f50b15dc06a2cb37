/** Builds the container image and runs it with Podman, without the network of containers. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { buildExecutables, type ImageSource, writeImage } from "../../scripts/release/image.ts";
import { prepareInputs } from "../../scripts/release/inputs.ts";
import { keptSchemas } from "../db/kept-schemas.ts";
import { foundProgram, reportSkipped } from "../proxies/program.ts";
import { send } from "../support/client.ts";
import { freePort } from "../support/free-port.ts";
import { OWNER, SETUP_FORM } from "../support/gate.ts";
import { startProgram } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

const execute = promisify(execFile);

const { version: VERSION } = JSON.parse(
  await readFile(new URL("../../package.json", import.meta.url), "utf8"),
);
const IMAGE = `latchkey/latchkey:${VERSION}`;
const USER = 65_532;
/** Compressing takes minutes on a machine that is busy. */
const BUILD = { timeout: 600_000 };
const MAX_BYTES = 60_000_000;
const TOOLS = ["podman", "runc", "qemu-aarch64-static", "skopeo", "docker-registry"];
/** The restrictions of docs/deploy/compose.yaml; what comes before works on restricted machines. */
const RUN = [
  ...["run", "--rm", "--network", "host"],
  ...["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1000:1000"],
  ...["--read-only", "--read-only-tmpfs=false"],
  ...["--cap-drop", "all", "--security-opt", "no-new-privileges"],
];
const ELF_MAGIC = 0x7f454c46;
const ELF_MACHINES = { amd64: 62, arm64: 183 } as const;

const missing = TOOLS.filter((name) => foundProgram(name) === undefined);
if (process.getuid?.() !== 0 || process.platform !== "linux") {
  reportSkipped("only root on Linux can run the image");
} else if (missing.length > 0) {
  reportSkipped(`${missing.join(", ")} is not installed`);
} else {
  testImage();
}

interface Descriptor {
  readonly digest: string;
  readonly size: number;
  readonly platform: { readonly architecture: keyof typeof ELF_MACHINES };
}

function testImage(): void {
  let folder = "";
  let archive = "";
  let digest = "";
  let source: ImageSource;

  const engine = (): readonly string[] => [
    ...["--root", join(folder, "storage"), "--runroot", join(folder, "run")],
    ...["--storage-driver", "vfs", "--cgroup-manager", "cgroupfs", "--runtime", "runc"],
  ];
  const podman = async (...args: readonly string[]): Promise<string> =>
    (await execute("podman", [...engine(), ...args])).stdout.trim();

  /** Starts a gate in a container, which the test can name. */
  async function startContainer(
    t: TestContext,
    volume: string,
    { name = "gate", image = IMAGE, options = [] as readonly string[] } = {},
  ) {
    const port = String(await freePort());
    const settings = ["--env", "AUTH_SECRET=auto", "--env", `PORT=${port}`];
    const args = [...engine(), ...RUN, "--name", name, "--volume", volume, ...settings, ...options];
    const program = startProgram(t, "podman", [...args, image], {});
    t.after(() => podman("rm", "--force", "--ignore", name));
    return { ...program, url: `http://127.0.0.1:${port}` };
  }

  /** Starts a gate that must end by itself, and returns what it wrote. */
  async function startRefused(t: TestContext, volume: string, ...options: readonly string[]) {
    const { code, stderr } = await (await startContainer(t, volume, { options })).ended;
    assert.notEqual(code, 0, stderr);
    return stderr.trim();
  }

  const LISTENS = /Latchkey listens on /;

  /** Creates a volume for one test, and returns the option that mounts it and its folder. */
  async function createVolume(t: TestContext, name: string) {
    await podman("volume", "create", name);
    t.after(() => podman("volume", "rm", "--force", name));
    const place = await podman("volume", "inspect", name, "--format", "{{.Mountpoint}}");
    return { mount: `${name}:/data`, place };
  }

  const getRoot = (architecture: string): string => join(folder, `root-${architecture}`);
  const blobPath = ({ digest }: Pick<Descriptor, "digest">): string =>
    join(folder, "layout/blobs", digest.replace(":", "/"));
  const readJson = async (path: string) => JSON.parse(await readFile(path, "utf8"));

  /** Reads what the index of the image says about each architecture. */
  async function readPlatforms() {
    const [index] = (await readJson(join(folder, "layout/index.json"))).manifests;
    assert.equal(index.digest, digest);
    const { manifests } = await readJson(blobPath(index));
    const platforms = manifests.map(async (descriptor: Descriptor) => {
      const { config, layers } = await readJson(blobPath(descriptor));
      assert.equal(layers.length, 1);
      const { architecture } = descriptor.platform;
      return { architecture, config: await readJson(blobPath(config)), layer: layers[0] };
    });
    return Promise.all<{
      readonly architecture: keyof typeof ELF_MACHINES;
      readonly config: { readonly architecture: string; readonly config: Record<string, unknown> };
      readonly layer: Descriptor;
    }>(platforms);
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "latchkey-image-"));
    archive = join(folder, "image.tar");
    source = buildExecutables(await prepareInputs(), folder);
    digest = writeImage(source, archive);
    await mkdir(join(folder, "layout"));
    await execute("tar", ["-xf", archive, "-C", join(folder, "layout")]);
    for (const { architecture, layer } of await readPlatforms()) {
      await mkdir(getRoot(architecture));
      await execute("tar", ["-xpzf", blobPath(layer), "-C", getRoot(architecture)]);
    }
    await podman("load", "--input", archive);
  }, BUILD);
  after(() => rm(folder, { recursive: true, force: true }));

  test("the image of both architectures has less than 60 MB, and only files of its own", async () => {
    const platforms = await readPlatforms();
    assert.deepEqual(
      platforms.map(({ architecture }) => architecture),
      ["amd64", "arm64"],
    );
    for (const { architecture, config, layer } of platforms) {
      assert.equal(config.architecture, architecture);
      assert.ok(layer.size < MAX_BYTES, `${layer.size} bytes`);
      const root = getRoot(architecture);
      const files = await readdir(root, { recursive: true, withFileTypes: true });
      const programs = await Promise.all(
        files
          .filter((file) => file.isFile())
          .map(async ({ parentPath, name }) => {
            const bytes = await readFile(join(parentPath, name));
            return bytes.readUInt32BE(0) === ELF_MAGIC ? bytes.readUInt16LE(18) : undefined;
          }),
      );
      const machines = programs.filter((machine) => machine !== undefined);
      assert.ok(machines.length >= 12, "the executable, its native code and libraries");
      assert.deepEqual([...new Set(machines)], [ELF_MACHINES[architecture]]);
      const { uid, gid, mode } = await stat(join(root, "data"));
      assert.deepEqual([uid, gid, mode & 0o7777], [USER, USER, 0o700]);
      assert.match(
        await readFile(join(root, "var/lib/dpkg/status.d/libc6"), "utf8"),
        /^Version: /m,
      );
      assert.ok((await stat(join(root, "usr/share/doc/libstdc++6/copyright"))).size > 1_000);
    }
  });

  test("Docker's own list names the image of each architecture", async () => {
    const platforms = await readPlatforms();
    const list = await readJson(join(folder, "layout/manifest.json"));
    for (const [at, { architecture, layer }] of platforms.entries()) {
      const { RepoTags, Config, Layers } = list[at];
      assert.deepEqual(RepoTags, [architecture === "amd64" ? IMAGE : `${IMAGE}-arm64`]);
      assert.deepEqual(
        Layers.map((path: string) => join(folder, "layout", path)),
        [blobPath(layer)],
      );
      assert.equal((await readJson(join(folder, "layout", Config))).architecture, architecture);
    }
  });

  test("the image names its user, volume, port and health check", async () => {
    for (const { config } of await readPlatforms()) {
      const { User, Volumes, ExposedPorts, Healthcheck, Labels } = config.config;
      assert.equal(User, `${USER}:${USER}`);
      assert.deepEqual([Volumes, ExposedPorts], [{ "/data": {} }, { "3000/tcp": {} }]);
      assert.deepEqual(Object(Healthcheck).Test, ["CMD", "/latchkey", "health"]);
      const { stdout: revision } = await execute("git", ["rev-parse", "HEAD"]);
      assert.equal(Object(Labels)["org.opencontainers.image.revision"], revision.trim());
      assert.equal(Object(Labels)["org.opencontainers.image.version"], VERSION);
    }
  });

  test("the same files give the same archive", BUILD, async (t) => {
    const again = join(await tempDir(t), "image.tar");
    assert.equal(writeImage(source, again), digest);
    await execute("cmp", [archive, again]);
  });

  test("an account and its session outlive a restart, and the gate stops in time", async (t) => {
    const { mount, place } = await createVolume(t, "accounts");
    const first = await startContainer(t, mount);
    const [, token = ""] = await first.shows(/setup\?token=([\w-]+)/);
    assert.equal((await send(`${first.url}/setup`, { form: SETUP_FORM })).status, 403);
    const form = { ...SETUP_FORM, token };
    const { session } = await send(`${first.url}/setup`, { form });
    assert.ok(session);
    const run = (...args: readonly string[]) => podman("exec", "gate", "/latchkey", ...args);
    assert.match(await run("health"), /^The gate answers at /);
    assert.match(await run("user", "list"), /^owner /m);
    assert.match(await podman("exec", "gate", "latchkey", "--version"), /^\d+\.\d+\.\d+$/);
    // A killed container would exit with 137.
    await podman("stop", "--time", "60", "gate");
    assert.equal((await first.ended).code, 0);
    assert.equal(first.stderr(), "");

    const { uid, mode } = await stat(place);
    assert.deepEqual([uid, mode & 0o777], [USER, 0o700]);
    const files = await readdir(place);
    assert.deepEqual(files.sort(), ["auth-secret", "latchkey.db"]);
    for (const file of files) assert.equal((await stat(join(place, file))).uid, USER);

    const second = await startContainer(t, mount);
    await second.shows(LISTENS);
    assert.equal((await send(`${second.url}/account/profile`, { session })).status, 200);
    assert.equal((await send(`${second.url}/login`, { form: OWNER })).status, 303);
    second.child.kill("SIGTERM");
    assert.equal((await second.ended).code, 0);
  });

  test("the health check of the image passes", async (t) => {
    const { mount } = await createVolume(t, "healthy");
    const options = ["--health-cmd", '["/latchkey","health"]', "--health-interval", "disable"];
    const gate = await startContainer(t, mount, { options });
    await gate.shows(LISTENS);
    await podman("healthcheck", "run", "gate");
  });

  test("a folder of root stops the gate with the remedy, which works", async (t) => {
    const place = await tempDir(t);
    await chmod(place, 0o755);
    const stopped = await startRefused(t, `${place}:/data`);
    const reason = `root owns /data (chown it to ${USER}, the user of this process)`;
    const failed = "latchkey: cannot make the secret in /data/auth-secret: permission denied";
    assert.equal(stopped, `${failed}: ${reason}`);
    await chown(place, USER, USER);
    await (await startContainer(t, `${place}:/data`)).shows(LISTENS);
  });

  test("a volume of another user, or one that is read-only, stops the gate with the reason", async (t) => {
    const { mount, place } = await createVolume(t, "wrong");
    await chown(place, USER, USER);
    const asOther = await startRefused(t, mount, "--user", "1234");
    assert.match(asOther, /auth-secret: .*: permission denied \(run as the user that owns it\)$/);
    const readOnly = await startRefused(t, `${mount}:ro`);
    assert.match(readOnly, /cannot make the secret .*: the file system is read-only$/);
  });

  test("the volume may be mounted with noexec", async (t) => {
    const { mount } = await createVolume(t, "noexec");
    const gate = await startContainer(t, `${mount}:noexec`);
    await gate.shows(LISTENS);
  });

  // 0.1.0 is the first release, so what came before is the database of an older schema.
  for (const { file, sql } of keptSchemas("sqlite")) {
    test(`opens a database of the older schema ${file}, and signs in`, async (t) => {
      const { mount, place } = await createVolume(t, "upgrade");
      await chown(place, USER, USER);
      const database = new DatabaseSync(join(place, "latchkey.db"));
      database.exec(sql);
      database.close();
      await chown(join(place, "latchkey.db"), USER, USER);
      const gate = await startContainer(t, mount);
      await gate.shows(LISTENS);
      assert.equal((await send(`${gate.url}/login`, { form: OWNER })).location, "/");
    });
  }

  test("the image of arm64 runs commands with its own libraries and native code", async (t) => {
    const root = getRoot("arm64");
    const env = {
      DATA_DIR: join(await tempDir(t), "data"),
      NATIVE_CODE_DIR: join(root, "lib/latchkey"),
    };
    const run = async (input: string, ...args: readonly string[]) => {
      const running = execute(
        "qemu-aarch64-static",
        ["-L", root, join(root, "latchkey"), ...args],
        {
          env,
        },
      );
      running.child.stdin?.end(input);
      return (await running).stdout;
    };
    const add = ["user", "add", OWNER.username, "--create", "--password-stdin"];
    await run(`${OWNER.password}\n`, ...add);
    assert.match(await run("", "user", "list"), /^owner /m);
  });

  test("a registry gets both architectures with the digest of the build", async (t) => {
    const port = String(await freePort());
    const configuration = join(await tempDir(t), "registry.yml");
    await writeFile(
      configuration,
      JSON.stringify({
        version: 0.1,
        storage: { filesystem: { rootdirectory: join(folder, "registry") } },
        http: { addr: `127.0.0.1:${port}` },
      }),
    );
    const registry = startProgram(t, "docker-registry", ["serve", configuration], {});
    await registry.shows(/listening on 127\.0\.0\.1/);
    const name = `docker://127.0.0.1:${port}/${IMAGE}`;
    const copy = ["copy", "--all", "--preserve-digests", "--dest-tls-verify=false"];
    await execute("skopeo", [...copy, `oci-archive:${archive}`, name]);
    const inspect = ["inspect", "--raw", "--tls-verify=false", name];
    const { stdout } = await execute("skopeo", inspect);
    assert.equal(`sha256:${createHash("sha256").update(stdout).digest("hex")}`, digest);
  });
}
