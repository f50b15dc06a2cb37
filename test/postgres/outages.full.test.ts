import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../support/eventually.ts";
import { startGate } from "../support/gate.ts";
import { openTransaction, runSql } from "../support/postgres-admin.ts";
import { serverOfFile } from "../support/postgres-file.ts";
import { startLoad } from "./load.ts";
import { assertCount, assertWritten, untilRecovered, visitorsAt } from "./trail.ts";

const server = await serverOfFile();

for (const [what, begin, end] of [
  ["is stopped", () => server.stop("immediate"), server.start],
  ["does not answer", server.freeze, server.thaw],
] as const) {
  test(`answers every page and loses no log entry while the database ${what}`, async (t) => {
    const databaseUrl = await server.newDatabase();
    const gate = await startGate(t, { databaseUrl });
    const session = await gate.setUp();
    const visitors = await visitorsAt(gate, 3);
    const load = startLoad(t, gate, session);
    await eventually(() => load.count(200) > 5 || undefined);

    await begin();
    await eventually(() => load.count(503) > 30 || undefined);
    await visitors.tryAgain();
    await end();
    await untilRecovered(gate);

    const signedIn = await load.stop();
    await assertWritten(databaseUrl, visitors.summaries);
    // Of one account, the log has the first 30 of a minute.
    await assertCount(databaseUrl, "signin", Math.min(signedIn + 1, 30));

    const messages = gate.serverLog.map(({ msg }) => String(msg));
    const states = messages.filter((message) => message.startsWith("the database is"));
    assert.deepEqual(states, ["the database is away", "the database is back"]);
    assert.ok(messages.length < 100, `${messages.length} lines`);
  });
}

test("answers overload while it lasts, and logs it as overload", async (t) => {
  const databaseUrl = await server.newDatabase();
  const gate = await startGate(t, { databaseUrl });
  await gate.setUp();
  // The setup has written its session and its entry. Otherwise they would wait for the lock, too.
  const written = "SELECT FROM latchkey_sessions, latchkey_log";
  await eventually(async () => (await runSql(databaseUrl, written)).length === 1 || undefined);
  const locking = await openTransaction(t, databaseUrl);
  await locking.query("LOCK TABLE latchkey_users IN ACCESS EXCLUSIVE MODE");
  // More than there are connections: some wait for the lock, the others for a connection.
  const signingIn = Array.from({ length: 20 }, (_, n) =>
    gate.signIn({}, { from: `127.4.1.${n + 1}` }),
  );
  // While the lock is held.
  for (const { status } of await Promise.all(signingIn)) assert.equal(status, 503);
  await locking.end();
  const lines = gate.serverLog.filter(({ level }) => level !== "info");
  const told = new Set(lines.map(({ msg, reason }) => `${msg}: ${reason}`));
  assert.deepEqual([...told], ["request put off: too many requests wait for the database"]);
});
