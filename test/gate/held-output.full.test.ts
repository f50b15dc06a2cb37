import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { getErrorCode } from "../../src/lib/fault.ts";
import { send } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { INHERITED, MAIN } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

const REQUESTS = 400;
/** With this path, each request is a line of 4 KB. */
const LONG_PATH = `/${"x".repeat(3_900)}`;

/** Asks for more than fits into the output and the memory of the log together. */
async function askOften(url: string): Promise<void> {
  for (let n = 0; n < REQUESTS; n += 1) {
    assert.equal((await send(`${url}${LONG_PATH}`)).status, 404);
  }
}

const gateEnv = async (t: TestContext) => ({
  ...INHERITED,
  ...{ DATA_DIR: await tempDir(t), PORT: "0", LOG_LEVEL: "debug", NO_COLOR: "1", TERM: "xterm" },
});

const HOLD = "\u0013";
const RELEASE = "\u0011";

/** A gate on a real terminal, from `script`. */
async function startOnTerminal(t: TestContext) {
  const line = `echo pid $$; exec '${process.execPath}' -- '${MAIN}' serve`;
  const child = spawn("script", ["-qec", line, "/dev/null"], {
    env: { ...(await gateEnv(t)), SHELL: "/bin/sh" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  t.after(async () => {
    child.kill("SIGKILL");
    await closed;
  });
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
  });
  const find = (pattern: RegExp) => eventually(async () => pattern.exec(shown)?.[1]);
  const pid = Number(await find(/pid (\d+)/));
  const url = await find(/listens on (http:\S+)\r/);
  return { url, pid, closed, find, type: (text: string) => child.stdin.write(text) };
}

test("a gate on a held terminal answers, and counts the dropped lines", async (t) => {
  const { url, pid, closed, find, type } = await startOnTerminal(t);
  type(HOLD);
  await askOften(url);
  type(RELEASE);
  const dropped = Number(await find(/nothing took them dropped=(\d+)/));
  assert.ok(dropped > 0 && dropped < REQUESTS, `${dropped}`);
  type(HOLD);
  await askOften(url);
  process.kill(pid, "SIGTERM");
  const [code] = await closed;
  assert.equal(code, 0);
});

/** How the reader of a pipe reads after the start of the gate. */
const readers: Readonly<Record<string, (read: () => string) => NodeJS.Timeout | undefined>> = {
  "takes nothing": () => undefined,
  "takes one line a second": (read) => setInterval(read, 1_000),
};

for (const [how, readOn] of Object.entries(readers)) {
  test(`a gate whose log goes to a pipe with a reader that ${how} answers and stops`, async (t) => {
    const pipe = join(await tempDir(t), "pipe");
    execFileSync("mkfifo", [pipe]);
    const reading = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    const writing = openSync(pipe, constants.O_WRONLY);
    const child = spawn(process.execPath, ["--", MAIN, "serve"], {
      env: await gateEnv(t),
      stdio: ["ignore", writing, "inherit"],
    });
    closeSync(writing);
    const closed = once(child, "close");
    t.after(async () => {
      child.kill("SIGKILL");
      await closed;
      closeSync(reading);
    });
    const chunk = Buffer.alloc(4_096);
    const read = (): string => {
      try {
        return chunk.toString("utf8", 0, readSync(reading, chunk));
      } catch (error) {
        if (getErrorCode(error) === "EAGAIN") return "";
        throw error;
      }
    };
    let text = "";
    const url = await eventually(async () => {
      text += read();
      return /listens on (http:[^"\s]+)"/.exec(text)?.[1];
    });
    const timer = readOn(read);
    t.after(() => clearInterval(timer));
    await askOften(url);
    child.kill("SIGTERM");
    const [code, signal] = await closed;
    assert.deepEqual([code, signal], [0, null]);
  });
}
