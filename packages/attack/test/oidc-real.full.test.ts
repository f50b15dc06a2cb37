import assert from "node:assert/strict";
import { test } from "node:test";
import { attacks } from "../src/attacks.ts";
import { findTarget } from "../src/find.ts";
import { runAttacks } from "../src/run.ts";
import { startOidcGates } from "./oidc-gates.ts";
import { ALL_NEEDS, attackNamed } from "./run-attack.ts";

const PACK = attacks.filter(({ name }) => name.startsWith("oidc-"));
/** Of processor time, since other tests run at the same time. The two gates run in this process. */
const MAX_SECONDS = 20;

test("the pack finds nothing on two gates that share a database", async (t) => {
  const { serverLog: _, ...gates } = await startOidcGates(t);
  const target = await findTarget({ guarded: [], fresh: true, ...gates });
  const before = process.cpuUsage();
  const [setup, ...results] = await runAttacks(target, {
    attacks: [attackNamed("setup-race"), ...PACK],
    granted: ALL_NEEDS,
    withinMs: 120_000,
  });
  for (const { attack, tried, milliseconds } of results)
    t.diagnostic(`${attack.name}: ${tried} in ${milliseconds} ms`);
  assert.equal(setup?.outcome, "passed");
  assert.deepEqual(
    results.map(({ attack, outcome, findings }) => ({ name: attack.name, outcome, findings })),
    PACK.map(({ name }) => ({ name, outcome: "passed", findings: [] })),
  );
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1_000_000;
  assert.ok(seconds < MAX_SECONDS, `${seconds} s`);
});
