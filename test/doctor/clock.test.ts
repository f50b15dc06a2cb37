import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { checkClock, compareClock } from "../../src/doctor/clock.ts";
import { openSqlite } from "../../src/stores/sqlite/store.ts";
import { startGate } from "../support/gate.ts";
import { logEntry } from "../support/store.ts";
import { tempDir } from "../support/temp-dir.ts";
import { assertFound, findings } from "./installation.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const NOW = Date.UTC(2030, 0, 1);

for (const [aheadMs, kind, about] of [
  [30 * SECOND, "hint", /is 30 seconds behind that of theirs/],
  [-90 * SECOND, "hint", /is 90 seconds ahead of that of theirs/],
  [5 * MINUTE, "problem", /is 5 minutes behind that of theirs/],
  [-7_200 * SECOND, "problem", /is 120 minutes ahead of that of theirs/],
] as const) {
  test(`reports ${kind} for a clock that differs by ${aheadMs / SECOND} seconds`, () => {
    assertFound(compareClock({ of: "theirs", aheadMs }), [kind, about, /timedatectl/]);
  });
}

test("reports nothing for a difference under 30 seconds", () => {
  for (const aheadMs of [29_999, -29_999]) {
    assertFound(compareClock({ of: "theirs", aheadMs }));
  }
});

test("compares the clock with that of the address", async (t) => {
  const { url, dataDir: DATA_DIR } = await startGate(t);
  const agrees = new RegExp(`agrees with that of ${url}$`);
  assertFound(await findings(checkClock, { env: { DATA_DIR }, url }), ["ok", agrees]);

  const now = Date.now() + 60 * MINUTE;
  assertFound(await findings(checkClock, { env: { DATA_DIR }, url, now }), [
    "problem",
    new RegExp(`is 60 minutes ahead of that of ${url}$`),
    /timedatectl/,
  ]);
});

async function withEntryAt(t: TestContext, at: number): Promise<string> {
  const folder = await tempDir(t);
  const store = await openSqlite({ file: join(folder, "latchkey.db") });
  const entries = [new Date(at), new Date(NOW - MINUTE)];
  await store.insertLogEntries(entries.map((time) => logEntry("Signed in as owner", { at: time })));
  store.close();
  return folder;
}

for (const [ahead, kind] of [
  [29 * SECOND, "ok"],
  [31 * SECOND, "hint"],
  [600 * MINUTE, "hint"],
] as const) {
  test(`reports ${kind} for a log entry from ${ahead / SECOND} seconds in the future`, async (t) => {
    const DATA_DIR = await withEntryAt(t, NOW + ahead);
    const about = kind === "ok" ? /no log entry is from the future/ : /in the future: .* sessions/;
    assertFound(await findings(checkClock, { env: { DATA_DIR }, now: NOW }), [kind, about]);
  });
}

test("reports nothing without another clock", async (t) => {
  assertFound(await findings(checkClock, { env: { DATA_DIR: await tempDir(t) } }));
});
