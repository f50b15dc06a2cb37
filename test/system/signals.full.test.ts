import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { send } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { INHERITED, MAIN, startLatchkey, startServe } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

test("no signal opens a debugger, changes or stops a gate without a terminal", async (t) => {
  const gate = await startServe(t, { DATA_DIR: await tempDir(t) });
  for (const signal of ["SIGUSR1", "SIGUSR1", "SIGHUP"] as const) {
    gate.child.kill(signal);
    assert.equal((await send(`${gate.url}/healthz`)).status, 200);
  }
  await gate.shows(/"msg":"SIGHUP ignored/);
  gate.child.kill("SIGTERM");
  const { code, stderr } = await gate.ended;
  assert.deepEqual([code, stderr], [0, ""]);
});

/** The options by which a gate gets a signal after its first line has run, and before it is loaded. */
function optionsOf(signal: string): string {
  const code = `process.on("newListener", (name) => {
    if (name === "SIGUSR1") queueMicrotask(() => process.kill(process.pid, "${signal}"));
  })`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
}

test("SIGHUP while the gate is loaded does not end it", async (t) => {
  const env = { DATA_DIR: await tempDir(t), NODE_OPTIONS: optionsOf("SIGHUP") };
  const gate = await startServe(t, env);
  assert.equal((await send(`${gate.url}/healthz`)).status, 200);
});

for (const signal of ["SIGTERM", "SIGINT"]) {
  test(`${signal} while the gate is loaded ends it with 0`, async (t) => {
    const env = { DATA_DIR: await tempDir(t), PORT: "0", NODE_OPTIONS: optionsOf(signal) };
    const { code, stderr } = await startLatchkey(t, ["serve"], env).ended;
    assert.deepEqual([code, stderr], [0, ""]);
  });
}

test("what is still open does not keep a stopped gate running", async (t) => {
  const NODE_OPTIONS = "--import=data:text/javascript,setInterval(Object,1000)";
  const gate = await startServe(t, { DATA_DIR: await tempDir(t), NODE_OPTIONS });
  gate.child.kill("SIGTERM");
  const { code, signal, stdout } = await gate.ended;
  assert.deepEqual([code, signal], [0, null]);
  assert.match(stdout, /"msg":"stopped"\}\n$/);
});

test("a terminal that closes stops the gate as SIGTERM does", async (t) => {
  const dir = await tempDir(t);
  const codeFile = join(dir, "code");
  // Passes the signal on, as the shell of a user does.
  const line = `trap 'kill -HUP $!' HUP; '${process.execPath}' '${MAIN}' serve & wait; wait $!; echo $? > '${codeFile}'`;
  const terminal = spawn("script", ["-qec", line, "/dev/null"], {
    env: { ...INHERITED, SHELL: "/bin/sh", DATA_DIR: dir, PORT: "0" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const closed = once(terminal, "close");
  t.after(() => terminal.kill("SIGKILL"));
  let shown = "";
  for await (const data of terminal.stdout) {
    shown += data;
    if (shown.includes("listens on")) break;
  }
  terminal.kill("SIGKILL");
  await closed;
  const code = await eventually(() =>
    readFile(codeFile, "utf8").then(
      (text) => text || undefined,
      () => undefined,
    ),
  );
  assert.equal(code, "0\n");
});
