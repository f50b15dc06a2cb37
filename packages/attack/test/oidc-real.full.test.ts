import assert from "node:assert/strict";
import { test } from "node:test";
import { send } from "../../../test/support/client.ts";
import { OWNER, SETUP_FORM } from "../../../test/support/gate.ts";
import { sharedPostgres } from "../../../test/support/postgres-shared.ts";
import type { Need } from "../src/attack.ts";
import { attacks } from "../src/attacks.ts";
import { findTarget } from "../src/find.ts";
import { runAttacks } from "../src/run.ts";
import { signInAs } from "../src/target.ts";
import { startOidcGates } from "./oidc-gates.ts";
import { ALL_NEEDS, attackNamed } from "./run-attack.ts";

// Opened here, since a test closes what it opens.
await sharedPostgres();

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

test("attacks as the account and the apps that it is given", async (t) => {
  const { url, clients } = await startOidcGates(t);
  await send(`${url}/setup`, { form: SETUP_FORM });
  const target = await findTarget({ guarded: [], fresh: false, url, clients });
  assert.equal(await signInAs(target, OWNER.username, OWNER.password), "signed-in");
  const names = ["oidc-codes", "oidc-steps", "oidc-ends"];
  const results = await runAttacks(target, {
    attacks: names.map(attackNamed),
    granted: new Set(["account", "clients"]),
    withinMs: 120_000,
  });
  assert.deepEqual(
    results.map(({ outcome, findings }) => [outcome, findings]),
    [
      ["passed", []],
      ["passed", []],
      ["skipped", ["needs a local server without an account (--fresh)"]],
    ],
  );
});

test("says which clients it needs", async (t) => {
  const { url, clients } = await startOidcGates(t);
  await send(`${url}/setup`, { form: SETUP_FORM });
  const run = async (given: typeof clients | undefined) => {
    const target = await findTarget({ guarded: [], fresh: false, url, clients: given });
    const granted = new Set<Need>(given === undefined ? ["account"] : ["account", "clients"]);
    const [result] = await runAttacks(target, {
      ...{ attacks: [attackNamed("oidc-codes")], granted, withinMs: 10_000 },
    });
    return [result?.outcome, result?.findings];
  };
  assert.deepEqual(await run(undefined), [
    "skipped",
    ["needs clients of OpenID Connect (--clients)"],
  ]);
  const confidential = clients.filter(({ secret }) => secret !== undefined);
  assert.deepEqual(await run(confidential), [
    "skipped",
    ["needs two clients with a secret and a public one"],
  ]);
});
