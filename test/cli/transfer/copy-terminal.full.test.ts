import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openSqlite } from "../../../src/stores/sqlite/store.ts";
import { hashText, logEntry } from "../../support/store.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { onTerminal } from "../user/terminal.ts";

test("shows a growing progress bar on a terminal, and only the result at the end", async (t) => {
  const dir = await tempDir(t);
  const store = await openSqlite({ file: join(dir, "from.db") });
  await store.insertFirstUser({ username: "owner", passwordHash: hashText("a hash") });
  for (let i = 0; i < 10; i += 1) {
    await store.insertLogEntries(Array.from({ length: 5_000 }, () => logEntry("an entry")));
  }
  store.close();
  const startedAt = performance.now();
  const line = "stty cols 70; latchkey copy --from sqlite:from.db --to sqlite:to.db";
  const { code, sent } = await onTerminal(t, `cd '${dir}'; ${line}`, {});
  assert.equal(code, 0, sent);
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
