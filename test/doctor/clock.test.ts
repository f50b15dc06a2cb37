import { join } from "node:path";
import { test } from "node:test";
import { checkClock, compareClock } from "../../src/doctor/clock.ts";
import { openSqlite } from "../../src/stores/sqlite/store.ts";
import { startGate } from "../support/gate.ts";
import { logEntry } from "../support/store.ts";
import { tempDir } from "../support/temp-dir.ts";
import { assertCheck, assertFound } from "./installation.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

test("reports a clock that differs by 30 seconds, and a problem from 5 minutes on", () => {
  const finding = (aheadMs: number) => compareClock({ of: "theirs", aheadMs });
  assertFound(finding(29_999));
  assertFound(finding(-29_999));
  assertFound(finding(30 * SECOND), ["hint", /is 30 seconds behind that of theirs/, /timedatectl/]);
  assertFound(finding(-90 * SECOND), ["hint", /is 90 seconds ahead of that of theirs/]);
  assertFound(finding(5 * MINUTE), ["problem", /is 5 minutes behind that of theirs/]);
});

test("compares the clock with that of the address", async (t) => {
  const { url, dataDir: DATA_DIR } = await startGate(t);
  const agrees = new RegExp(`agrees with that of ${url}$`);
  await assertCheck(checkClock, { env: { DATA_DIR }, url }, ["ok", agrees]);
  const ahead = new RegExp(`is 60 minutes ahead of that of ${url}$`);
  const now = Date.now() + 60 * MINUTE;
  await assertCheck(checkClock, { env: { DATA_DIR }, url, now }, ["problem", ahead]);
});

test("gives a hint for a log entry from more than 30 seconds in the future", async (t) => {
  const DATA_DIR = await tempDir(t);
  await assertCheck(checkClock, { env: { DATA_DIR } });
  const at = Date.UTC(2030, 0, 1);
  const store = await openSqlite({ file: join(DATA_DIR, "latchkey.db") });
  const entries = [new Date(at), new Date(at - MINUTE)];
  await store.log.insert(entries.map((time) => logEntry("Signed in as owner", { at: time })));
  store.close();
  const found = ["hint", /31 seconds in the future: .* sessions/] as const;
  await assertCheck(checkClock, { env: { DATA_DIR }, now: at - 31 * SECOND }, found);
  const none = ["ok", /no log entry is from the future/] as const;
  await assertCheck(checkClock, { env: { DATA_DIR }, now: at - 29 * SECOND }, none);
});
