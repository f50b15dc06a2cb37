import assert from "node:assert/strict";
import { runCommand } from "../../../support/command.ts";
import { eventually } from "../../../support/eventually.ts";
import type { RunningGate } from "../../../support/gate.ts";
import {
  addDomain,
  answerOver,
  logged,
  NAME,
  startSecureGate,
  startWithDomain,
  wherePebbleIs,
} from "./gate-with-pebble.ts";

interface Status {
  readonly notAfter: string | null;
  readonly lastAttempt: { readonly outcome: string; readonly cause: string | null };
  readonly nextAttemptAt: string;
}

/** What `domain status` shows once an attempt has ended like this. */
const statusAfter = ({ dataDir }: RunningGate, outcome: string): Promise<Status> =>
  eventually(async () => {
    const asked = ["domain", "status", "--json"];
    const { stdout } = await runCommand(asked, { env: { DATA_DIR: dataDir } });
    const status = JSON.parse(stdout);
    return status.lastAttempt?.outcome === outcome ? status : undefined;
  });

wherePebbleIs((withPebble) => {
  withPebble(
    "logs and shows why a challenge failed, and tries again on request",
    async (t, start) => {
      const pebble = await start();
      const gate = await startSecureGate(t, pebble);
      await pebble.point(NAME, "127.0.0.77");
      const before = Date.now();
      const session = await gate.setUp({ domain: NAME });
      const { level, domain, reason } = await logged(gate, "no certificate");
      assert.deepEqual([level, domain], ["error", NAME]);
      assert.match(String(reason), /127\.0\.0\.77.*connection refused/);
      const home = await gate.send("/account/profile", { session, headers: { Host: NAME } });
      assert.equal(home.status, 200);
      assert.equal(home.headers["strict-transport-security"], undefined);

      const { notAfter, lastAttempt, nextAttemptAt } = await statusAfter(gate, "failed");
      assert.deepEqual([notAfter, lastAttempt.cause], [null, reason]);
      const pause = Date.parse(nextAttemptAt) - before;
      assert.ok(pause >= 60_000 && pause < 120_000, `${pause}`);

      await pebble.point(NAME, "127.0.0.1");
      await addDomain(gate, NAME);
      assert.equal((await answerOver(gate, pebble)).status, 200);
      await statusAfter(gate, "succeeded");
    },
  );

  withPebble("stops at once while it waits for the authority", async (t, start) => {
    const pebble = await start({ env: { PEBBLE_VA_NOSLEEP: "0", PEBBLE_VA_SLEEPTIME: "60" } });
    const gate = await startWithDomain(t, pebble);
    await logged(gate, "getting a certificate");
    const before = performance.now();
    await gate.stop();
    // The authority takes a minute.
    assert.ok(performance.now() - before < 30_000);
    assert.ok(!gate.serverLog.some(({ level }) => level === "error"));
  });
});
