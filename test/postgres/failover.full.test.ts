import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../support/eventually.ts";
import { changeForm, OWNER, startGate } from "../support/gate.ts";
import { type Postgres, startPostgres, startStandby } from "../support/postgres.ts";
import { startLoad } from "./load.ts";
import { assertWritten, untilRecovered, visitorsAt } from "./trail.ts";

const NEW_PASSWORD = "battery staple";

for (const [what, fail] of [
  ["killed", (primary: Postgres) => primary.stop("kill")],
  ["silent", (primary: Postgres) => primary.freeze()],
] as const) {
  test(`switches to a promoted standby without loss when the primary is ${what}`, async (t) => {
    const primary = await startPostgres(t);
    const standby = await startStandby(t, primary);
    const hosts = [standby, primary].map(({ host, port }) => `${host}:${port}`).join();
    const gate = await startGate(t, { databaseUrl: `postgres://postgres@${hosts}/postgres` });
    const session = await gate.setUp();
    const form = changeForm(OWNER.password, NEW_PASSWORD);
    assert.equal((await gate.send("/account/password", { form, session })).status, 303);
    await standby.catchUp();
    const visitors = await visitorsAt(gate, 3);
    const load = startLoad(t, gate, session, NEW_PASSWORD);
    await eventually(() => load.count(200) > 5 || undefined);

    await fail(primary);
    await eventually(() => load.count(503) > 20 || undefined);
    await visitors.tryAgain();
    await standby.promote();
    await untilRecovered(gate, NEW_PASSWORD);

    await load.stop();
    await assertWritten(standby.url(), visitors.summaries);
    // Some connections may still wait for the silent primary.
    const { location } = await eventually(async () => {
      const answer = await gate.signIn();
      return answer.status === 503 ? undefined : answer;
    });
    assert.equal(location, "/login?error=1", "rejects the old password");
    const account = await standby.sql("SELECT username FROM latchkey_users");
    assert.deepEqual(account, [{ username: OWNER.username }]);
  });
}
