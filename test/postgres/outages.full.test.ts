import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../support/eventually.ts";
import { startGate } from "../support/gate.ts";
import { endBlocked, openTransaction, untilBlocked } from "../support/postgres-admin.ts";
import { serverOfFile } from "../support/postgres-file.ts";
import { startLoad } from "./load.ts";
import { assertCount, assertWritten, untilRecovered, visitorsAt } from "./trail.ts";

const server = await serverOfFile();

for (const [what, begin, end] of [
  ["is stopped with a fast shutdown", () => server.stop("fast"), server.start],
  ["is stopped with an immediate shutdown", () => server.stop("immediate"), server.start],
  ["does not answer", server.freeze, server.thaw],
] as const) {
  test(`while the database ${what}, answers every page in time, admits no unknown user, and loses no log entry`, async (t) => {
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

    const { signedIn } = await load.stop();
    await assertWritten(databaseUrl, visitors.summaries);
    await assertCount(databaseUrl, "signin", signedIn + 1);
  });
}

test("answers 503 when connections are terminated, and recovers", async (t) => {
  const databaseUrl = await server.newDatabase();
  const gate = await startGate(t, { databaseUrl });
  await gate.setUp();
  const locking = await openTransaction(t, databaseUrl);
  await locking.query("LOCK TABLE latchkey_users IN ACCESS EXCLUSIVE MODE");
  const signingIn = Array.from({ length: 4 }, (_, n) =>
    gate.signIn({}, { from: `127.4.0.${n + 1}` }),
  );
  await untilBlocked(databaseUrl, signingIn.length);
  await endBlocked(databaseUrl);
  for (const { status, headers } of await Promise.all(signingIn)) {
    assert.deepEqual([status, Number(headers["retry-after"]) > 0], [503, true]);
  }
  await locking.end();
  await untilRecovered(gate);
});

test("does not wait for each query of a page in turn during an outage", async (t) => {
  const gate = await startGate(t, {
    databaseUrl: await server.newDatabase(),
    limiter: "shared",
  });
  const session = await gate.setUp();
  // Enough open connections, so that each query waits for a response until its time limit.
  await Promise.all(Array.from({ length: 7 }, () => gate.send("/", { session })));
  await server.freeze();
  t.after(server.thaw);
  const start = performance.now();
  const [signIn, home] = await Promise.all([gate.signIn(), gate.send("/", { session })]);
  const ms = performance.now() - start;
  assert.ok(ms < 2_000, `${ms} ms`);
  assert.equal(signIn.status, 503);
  assert.ok([200, 503].includes(home.status), "from the cache, or expired");
});
