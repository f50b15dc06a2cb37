import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { open, writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { contentOf } from "../cli/transfer/backup-place.ts";
import { send } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { OWNER, SECRET, SETUP_FORM } from "../support/gate.ts";
import { startServe } from "../support/process.ts";
import { openSocket } from "../support/raw.ts";
import { tempDir } from "../support/temp-dir.ts";

const SIGNALS = ["SIGTERM", "SIGINT"] as const;
const FORM = new URLSearchParams(OWNER).toString();

async function startConfigured(t: TestContext, env: Readonly<Record<string, string>> = {}) {
  const dataDir = await tempDir(t);
  const gate = await startServe(t, { DATA_DIR: dataDir, AUTH_SECRET: SECRET, ...env });
  const form = { ...SETUP_FORM, domain: "a.b" };
  assert.equal((await send(`${gate.url}/setup`, { form })).location, "/");
  /** Resolves once the gate has logged the signal. */
  const signal = async (name: NodeJS.Signals): Promise<void> => {
    gate.child.kill(name);
    await gate.shows(/"msg":"stopping"/);
  };
  return { ...gate, dataDir, signal };
}

type Configured = Awaited<ReturnType<typeof startConfigured>>;

/** A sign-in without its body. Resolves once the gate has confirmed the headers. */
async function startSignIn(t: TestContext, { url }: Configured): Promise<Socket> {
  const socket = await openSocket(t, url);
  socket.write(
    `POST /login HTTP/1.1\r\nHost: gate\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${FORM.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  const [confirmed] = await once(socket, "data");
  assert.match(String(confirmed), /^HTTP\/1\.1 100 /);
  return socket;
}

/** A connection that the kernel accepted just before the socket closed is reset, later ones refused. */
const refused = (url: string): Promise<unknown> =>
  assert.rejects(send(`${url}/login`), ({ code }: NodeJS.ErrnoException) =>
    ["ECONNREFUSED", "ECONNRESET"].includes(code ?? ""),
  );

for (const signal of SIGNALS) {
  test(`finishes a running sign-in on ${signal}, and ends with code 0`, async (t) => {
    const gate = await startConfigured(t);
    const socket = await startSignIn(t, gate);
    await gate.signal(signal);
    await refused(gate.url);
    socket.write(FORM);
    const answer = Buffer.concat(await socket.toArray()).toString();
    assert.match(answer, /^HTTP\/1\.1 303 /);
    assert.match(answer, /\r\nlocation: \/\r\n/i);
    assert.match(answer, /\r\nset-cookie: session=[^;]+;/i);
    assert.match(answer, /\r\n\r\n$/, "the response is complete");
    const { code, stdout, stderr } = await gate.ended;
    assert.deepEqual([code, stderr], [0, ""]);
    const last = `"signal":"${signal}","msg":"stopping"}\n.*"msg":"stopped"}\n$`;
    assert.match(stdout, new RegExp(last));
    const { summaries } = await contentOf(join(gate.dataDir, "latchkey.db"));
    assert.deepEqual(summaries, ["Created account owner", "Signed in as owner"]);
  });
}

test("stops at once with a non-zero exit code on a second signal", async (t) => {
  const gate = await startConfigured(t);
  await startSignIn(t, gate);
  await gate.signal("SIGTERM");
  gate.child.kill("SIGINT");
  const { code } = await gate.ended;
  assert.notEqual(code, 0);
  await refused(gate.url);
});

test("stops during a long domain setup, which continues to its end", async (t) => {
  const dir = await tempDir(t);
  const file = (name: string): string => join(dir, name);
  const untilExists = (name: string) => eventually(() => existsSync(file(name)) || undefined);
  execFileSync("mkfifo", [file("pipe")]);
  const pipe = await open(file("pipe"), "r+");
  t.after(() => pipe.close());
  const script = `#!/bin/sh\ncd '${dir}'\ntouch started\nread line < pipe\necho words >&2\ntouch done\n`;
  await writeFile(file("slow"), script, { mode: 0o755 });

  const gate = await startConfigured(t, { DOMAIN_SETUP_COMMAND: file("slow") });
  await untilExists("started");
  await gate.signal("SIGTERM");
  const code = await eventually(() => gate.child.exitCode ?? undefined).catch(
    () => "still running",
  );
  gate.child.kill("SIGKILL");
  await pipe.write("go on\n");
  assert.equal(code, 0);
  await untilExists("done");
});
