import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { whereInstalled } from "../proxies/program.ts";
import { SERVER_CERTIFICATE, SERVER_KEY } from "../support/certificates.ts";
import { send } from "../support/client.ts";
import { startGate } from "../support/gate.ts";
import { startNode } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
const execute = promisify(execFile);

interface Step {
  readonly word: string;
  readonly rest: string;
}

interface Stage {
  readonly steps: readonly Step[];
  /** The last instruction of this kind, which is the one that applies. */
  lastOf(word: string): string;
}

const dockerfile = await readFile(join(ROOT, "Dockerfile"), "utf8");

function stages(): readonly Stage[] {
  const steps = [...dockerfile.matchAll(/^([A-Z]+) (.*)$/gm)].map(([, word = "", rest = ""]) => ({
    word,
    rest,
  }));
  const starts = steps.flatMap(({ word }, at) => (word === "FROM" ? [at] : []));
  return starts.map((start, n) => {
    const own = steps.slice(start, starts[n + 1]);
    const lastOf = (word: string): string => own.findLast((one) => one.word === word)?.rest ?? "";
    return { steps: own, lastOf };
  });
}

/** Copies the files of the checkout that .dockerignore includes in the build context. */
async function copyContext(folder: string): Promise<void> {
  const ignore = await readFile(join(ROOT, ".dockerignore"), "utf8");
  const included = ignore.split("\n").filter((line) => line.startsWith("!"));
  assert.match(ignore, /^\*\n/, "excludes everything else");
  for (const name of included.map((line) => line.slice(1))) {
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  }
}

async function replay(stage: Stage, sources: { context: string; build: string }, folder: string) {
  await mkdir(folder, { recursive: true });
  for (const { word, rest } of stage.steps) {
    if (word === "COPY") {
      const [, from, names = ""] = /^(--from=build )?(.*) \S+$/.exec(rest) ?? [];
      for (const name of names.split(" ")) {
        const source =
          from === undefined ? join(sources.context, name) : join(sources.build, basename(name));
        await cp(source, join(folder, name === "." ? "" : basename(name)), { recursive: true });
      }
    }
    // `install` gives the data folder to the image's user, which does not exist on this machine.
    if (word === "RUN" && !rest.startsWith("install ")) {
      await execute("sh", ["-c", rest], { cwd: folder, env: { ...process.env, PATH } });
    }
  }
}

test("the Dockerfile builds a gate that serves pages, reports health and stops cleanly", async (t) => {
  const dir = await tempDir(t);
  const [context, build, image] = ["context", "build", "image"].map((name) => join(dir, name)) as [
    string,
    string,
    string,
  ];
  await mkdir(context);
  await copyContext(context);
  const [first, second] = stages();
  assert.ok(first && second);
  await replay(first, { context, build }, build);
  await replay(second, { context, build }, image);

  const [, ...entry]: readonly string[] = [
    ...JSON.parse(second.lastOf("ENTRYPOINT")),
    ...JSON.parse(second.lastOf("CMD")),
  ];
  const args = entry.map((arg) => (arg.startsWith("dist/") ? join(image, arg) : arg));
  const env = {
    NODE_ENV: "production",
    AUTH_SECRET: "one for the image, 32 bytes long",
    PORT: "0",
  };
  const gate = startNode(t, args, {
    ...env,
    DATA_DIR: join(dir, "data"),
  });
  const [, url = ""] = await gate.shows(/Latchkey listens on (http:\S+?)"/);
  assert.equal((await send(`${url}/setup`)).status, 200);

  const { port } = new URL(url);
  assert.equal(await healthOf({ PORT: port }), "healthy");
  gate.child.kill("SIGTERM");
  assert.equal((await gate.ended).code, 0);
  assert.equal(await healthOf({ PORT: port }), "unhealthy");
});

/** What the image's health check reports in this environment. */
async function healthOf(env: Readonly<Record<string, string>>): Promise<"healthy" | "unhealthy"> {
  const [, command = "[]"] = /CMD (\[.*\])$/.exec(stages()[1]?.lastOf("HEALTHCHECK") ?? "") ?? [];
  const [, ...check]: readonly string[] = JSON.parse(command);
  return execute(process.execPath, check, { env }).then(
    () => "healthy",
    () => "unhealthy",
  );
}

test("the health check works with TLS, on the only port and next to plain HTTP", async (t) => {
  const folder = await tempDir(t);
  const [tlsCertFile, tlsKeyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  await writeFile(tlsCertFile, SERVER_CERTIFICATE);
  await writeFile(tlsKeyFile, SERVER_KEY);
  const publicUrl = "https://auth.example.test";
  const alone = await startGate(t, { tlsCertFile, tlsKeyFile, publicUrl });
  assert.match(alone.url, /^https:/);
  const onlyTls = { PORT: new URL(alone.url).port, TLS_CERT_FILE: tlsCertFile };
  assert.equal(await healthOf(onlyTls), "healthy");
  const both = await startGate(t, { tlsCertFile, tlsKeyFile, publicUrl, httpsPort: 0 });
  assert.match(both.url, /^http:/);
  const next = { PORT: new URL(both.url).port, TLS_CERT_FILE: tlsCertFile, HTTPS_PORT: "1" };
  assert.equal(await healthOf(next), "healthy");
  await alone.stop();
  assert.equal(await healthOf(onlyTls), "unhealthy");
});

test("the image runs as an unprivileged user and requires a secret", async (t) => {
  const [, image] = stages();
  assert.equal(image?.lastOf("USER"), "node");
  assert.match(image?.lastOf("ENV") ?? "", /NODE_ENV=production/);
  const main = join(ROOT, "src/cli/main.ts");
  const dataDir = join(await tempDir(t), "data");
  const gate = startNode(t, [main, "serve"], { NODE_ENV: "production", DATA_DIR: dataDir });
  assert.equal((await gate.ended).code, 2);
});

test("the image and the unit pass flags to the gate, not to Node.js", async () => {
  const [, image] = stages();
  const [program, dashes] = JSON.parse(image?.lastOf("ENTRYPOINT") ?? "[]");
  assert.deepEqual([program, dashes], ["node", "--"]);
  const unit = await readFile(join(ROOT, "docs/deploy/latchkey.service"), "utf8");
  const starts = [...unit.matchAll(/\/node (\S+) \S*\/main\.ts/g)];
  assert.deepEqual(
    starts.map(([, first]) => first),
    ["--"],
  );
});

whereInstalled("caddy", (program) => {
  test("Caddy accepts the Caddyfile", async (t) => {
    const file = join(await tempDir(t), "Caddyfile");
    await writeFile(file, await readFile(join(ROOT, "docs/deploy/Caddyfile")));
    const { stdout } = await execute(program, ["adapt", "--config", file]);
    assert.match(stdout, /"dial":"latchkey:3000"/);
  });
});
