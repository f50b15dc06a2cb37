import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import { foundProgram, reportSkipped } from "../proxies/program.ts";
import { eventually } from "../support/eventually.ts";
import { changeForm, OWNER, type RunningGate, startGate } from "../support/gate.ts";
import { runSql } from "../support/postgres-admin.ts";
import { startLoad } from "./load.ts";
import { startCluster } from "./patroni.ts";

const NEW_PASSWORD = "battery staple";
/** Patroni notices a lost primary after 20 seconds, and the other member has to start as one. */
const FAILOVER_MS = 120_000;

const patroni = foundProgram("patroni");
const haproxy = foundProgram("haproxy");
// Debian has its programs in a folder for each version.
const server = globSync("/usr/lib/postgresql/*/bin/postgres").sort().at(-1);

if (patroni === undefined || haproxy === undefined || server === undefined) {
  reportSkipped("Patroni, HAProxy or Debian's PostgreSQL is not installed");
} else {
  test("follows Patroni's primary through HAProxy without loss, planned and after a power failure", async (t) => {
    const cluster = await startCluster(t, { patroni, haproxy, bin: dirname(server) });
    const gate = await startGate(t, { databaseUrl: cluster.url });
    // HAProxy has to find the primary first.
    await eventually(async () => (await gate.send("/readyz")).status === 200 || undefined);
    const session = await gate.setUp();
    const form = changeForm(OWNER.password, NEW_PASSWORD);
    const changed = await gate.send("/account/password", { form, session });
    assert.equal(changed.status, 303);
    const load = startLoad(t, gate, session, NEW_PASSWORD);
    await untilServed(gate);

    const first = await cluster.primary();
    await cluster.switchOver();
    const second = await eventually(async () => {
      const name = await cluster.primary();
      return name === first ? undefined : name;
    }, FAILOVER_MS);
    await untilServed(gate);
    assert.equal((await gate.send("/forward-auth", { session })).status, 200);

    await cluster.kill(second);
    await eventually(() => load.count(503) > 20 || undefined, FAILOVER_MS);
    await untilServed(gate);
    assert.equal((await gate.send("/forward-auth", { session })).status, 200);
    assert.equal((await gate.signIn()).location, "/login?error=1", "the old password is refused");

    cluster.start(second);
    assert.equal(await cluster.primary(), first, "the member that returns follows");
    await load.stop();
    const rows = await runSql(
      cluster.url,
      "SELECT type FROM latchkey_log WHERE type IN ('signup', 'password_change') ORDER BY id",
    );
    const types = rows.map(({ type }) => type);
    assert.deepEqual(types, ["signup", "password_change"], "what was written first is there, once");
  });
}

/** Waits for a sign-in, which has to write. */
async function untilServed(gate: RunningGate): Promise<void> {
  let attempt = 0;
  await eventually(async () => {
    attempt += 1;
    const from = `127.3.${(attempt >> 8) & 255}.${attempt & 255}`;
    const { location } = await gate.signIn({ password: NEW_PASSWORD }, { from });
    return location === "/" || undefined;
  }, FAILOVER_MS);
}
