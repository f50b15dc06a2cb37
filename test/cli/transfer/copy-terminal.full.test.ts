import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openSqlite } from "../../../src/stores/sqlite/store.ts";
import { hashText, logEntry } from "../../support/store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const MAIN = fileURLToPath(new URL("../../../src/cli/main.ts", import.meta.url));
const COLUMNS = 70;

/** Everything that a terminal shows, with `script`, which every Debian has. */
async function onTerminal(t: TestContext, args: readonly string[]): Promise<string> {
  const command = [process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qec", `stty cols ${COLUMNS}; ${command}`, "/dev/null"], {
    env: { PATH: process.env.PATH ?? "", TERM: "xterm" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  t.after(async () => {
    child.kill("SIGKILL");
    await closed;
  });
  const sent = await text(child.stdout);
  assert.deepEqual(await closed, [0, null], sent);
  return sent;
}

test("shows a growing progress bar on a terminal, and only the result at the end", async (t) => {
  const dir = await tempDir(t);
  const store = await openSqlite({ file: join(dir, "from.db") });
  await store.insertFirstUser({ username: "owner", passwordHash: hashText("a hash") });
  for (let i = 0; i < 10; i += 1) {
    await store.insertLogEntries(Array.from({ length: 5_000 }, () => logEntry("an entry")));
  }
  store.close();
  const startedAt = performance.now();
  const sent = await onTerminal(t, [
    ...["copy", "--from", `sqlite:${dir}/from.db`, "--to", `sqlite:${dir}/to.db`],
  ]);
  const seconds = (performance.now() - startedAt) / 1_000;

  const [result, beforeResult, ...frames] = sent.split("\u001b[K").reverse();
  const bars = frames.map((frame) => frame.slice(1)).reverse();
  const percents = bars.map((bar) => Number(/ (\d+)%/.exec(bar)?.[1]));
  const copying = percents.filter((_, i) => bars[i]?.includes(" copying: "));
  assert.ok(bars.length > 1 && bars.length <= seconds * 10 + 1, `${bars.length} in ${seconds} s`);
  for (const bar of bars) assert.match(bar, /^\[[#.]{20}\] .{1,46}$/);
  assert.deepEqual(
    copying,
    [...copying].sort((a, b) => a - b),
  );
  assert.equal(beforeResult, "\r");
  assert.match(result ?? "", /^Copied 1 user and 50000 log entries from [^\r\n]*\r\n$/);
});
