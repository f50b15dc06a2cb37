import assert from "node:assert/strict";
import { dirname } from "node:path";
import { type TestContext, test } from "node:test";
import type { NewLogEntry } from "../../src/db/records.ts";
import { failureOf, outputOf } from "../support/command.ts";
import { startGate } from "../support/gate.ts";
import { logEntry, newFile, openStore } from "../support/store.ts";

/** The lines that `latchkey log` prints, after it has succeeded. */
async function log(dataDir: string, ...options: readonly string[]) {
  const stdout = await outputOf(["log", ...options], { env: { DATA_DIR: dataDir } });
  assert.match(stdout, /^$|\n$/);
  return stdout.split("\n").slice(0, -1);
}

const summaries = async (dataDir: string, ...options: readonly string[]) =>
  (await log(dataDir, "--json", ...options)).map((line) => JSON.parse(line).summary);

/** A data folder with these log entries, without a gate. */
async function withEntries(t: TestContext, entries: readonly NewLogEntry[]) {
  const file = await newFile(t);
  await (await openStore(t, file)).log.insert(entries);
  return dirname(file);
}

test("prints entries oldest first with all fields while the gate runs", async (t) => {
  const gate = await startGate(t);
  const before = Date.now();
  await gate.setUp();
  await gate.signIn();
  for (let attempt = 0; attempt < 5; attempt += 1) await gate.signIn({ password: "wrong" });
  await gate.logEntries(3);

  const entries = (await log(gate.dataDir, "--json")).map((line) => JSON.parse(line));
  const client = { author: "system", address: "127.0.0.1", device: "" };
  const ofOwner = { ...client, userId: entries[0].userId, subject: "owner" };
  assert.match(ofOwner.userId, /^[\da-f-]{36}$/);
  const told = entries.map(({ at, ...rest }) => rest);
  assert.deepEqual(told, [
    { id: 1, type: "signup", summary: "Created account owner", ...ofOwner },
    { id: 2, type: "signin", summary: "Signed in as owner", ...ofOwner },
    {
      id: 3,
      type: "signin_rate_limited",
      summary: "Rate limited login from 127.0.0.1",
      ...client,
    },
  ]);
  for (const { at } of entries) {
    assert.equal(new Date(at).toISOString(), at);
    assert.ok(Date.parse(at) >= before && Date.parse(at) <= Date.now(), at);
  }
});

test("--since takes an age or a date, and combines with --type", async (t) => {
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const dataDir = await withEntries(t, [
    logEntry("leap day", { at: new Date("2020-02-29T12:00:00Z") }),
    logEntry("ninety minutes ago", { at: ago(90) }),
    logEntry("likewise", { at: ago(90), type: "signup" }),
    logEntry("five minutes ago", { at: ago(5) }),
  ]);
  const all = ["leap day", "ninety minutes ago", "likewise", "five minutes ago"];
  const cases = [
    [["--since", "2h"], all.slice(1)],
    [["--since", "15m"], all.slice(3)],
    [["--since", "2020-02-29T12:00:01Z"], all.slice(1)],
    [["--since", "2h", "--type", "signup"], ["likewise"]],
    [["--type=signup"], ["likewise"]],
  ] as const;
  for (const [options, expected] of cases) {
    assert.deepEqual(await summaries(dataDir, ...options), expected, options.join(" "));
  }
});

test("--since refuses anything else with the accepted forms", async () => {
  for (const text of ["yesterday", "2", "h", "-2h", "2w", "1.5h", "2030", "2030-02-30"]) {
    const line = await failureOf(["log", `--since=${text}`], {}, 2);
    assert.match(line, /^--since takes an age such as 15m, 2h or 7d, or a date such as /, text);
  }
});

test("--limit prints the newest matching entries, oldest first", async (t) => {
  const entries = Array.from({ length: 10 }, (_, n) =>
    logEntry(`${n}`, { type: n % 2 ? "signup" : "signin" }),
  );
  const dataDir = await withEntries(t, entries);
  assert.deepEqual(await summaries(dataDir, "--limit", "3"), ["7", "8", "9"]);
  assert.deepEqual(await summaries(dataDir, "--limit", "2", "--type", "signin"), ["6", "8"]);
  assert.equal((await summaries(dataDir, "--limit", "100")).length, 10);
});

test("prints more entries than one page has, complete and in order", async (t) => {
  const wanted = Array.from({ length: 2_345 }, (_, n) => `Signed in as owner ${n}`);
  const entries = wanted.map((summary) => logEntry(summary));
  const dataDir = await withEntries(t, entries);
  assert.deepEqual(await summaries(dataDir), wanted);
  assert.deepEqual(await summaries(dataDir, "--limit", "1500"), wanted.slice(-1_500));
});
