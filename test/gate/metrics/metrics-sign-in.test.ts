import assert from "node:assert/strict";
import { test } from "node:test";
import { createMeter } from "../../../src/gate/metrics/measures.ts";
import { Registry } from "../../../src/gate/metrics/registry.ts";
import { startApp } from "../../support/app.ts";
import { eventually } from "../../support/eventually.ts";
import { OWNER, SETUP_FORM } from "../../support/gate.ts";
import { readScrape, startMeasured } from "./measured-gate.ts";

const HASHES = "latchkey_hash_duration_seconds_count";
const outcome = (kind: string): string => `latchkey_sign_ins_total{outcome="${kind}"}`;

const OUTCOMES = ["needs-setup", "rejected", "signed-in", "rate-limited"];

test("counts each sign-in under its outcome alone", async (t) => {
  const gate = await startMeasured(t);
  const counted = async () => {
    const { value } = await gate.scrape();
    return OUTCOMES.map((kind) => value(outcome(kind)));
  };
  assert.deepEqual(await counted(), [0, 0, 0, 0], "they exist before the first sign-in");
  await gate.signIn();
  assert.deepEqual(await counted(), [1, 0, 0, 0]);
  await gate.setUp();
  await gate.signIn({ username: "nobody" });
  await gate.signIn({ password: "wrong" });
  assert.deepEqual(await counted(), [1, 2, 0, 0]);
  await gate.signIn();
  assert.deepEqual(await counted(), [1, 2, 1, 0]);
});

test("counts denied sign-ins as rate-limited and as denials", async (t) => {
  const gate = await startMeasured(t);
  await gate.setUp();
  for (let attempt = 1; attempt <= 7; attempt += 1) await gate.signIn({ password: "wrong" });
  await gate.signIn({}, { from: "127.0.0.2" });
  const { value } = await gate.scrape();
  assert.deepEqual(
    [
      value(outcome("rate-limited")),
      value("latchkey_limiter_denials_total"),
      value("latchkey_limiter_tracked_addresses"),
      value(outcome("rejected")),
      value(outcome("signed-in")),
    ],
    [2, 2, 2, 5, 1],
  );
});

test("counts each computed hash, with its time", async (t) => {
  const gate = await startMeasured(t);
  await gate.setUp();
  await gate.signIn();
  await gate.signIn({ username: "nobody" });
  const { value } = await gate.scrape();
  assert.equal(value(HASHES), 3);
  const took = value("latchkey_hash_duration_seconds_sum") ?? 0;
  assert.ok(took > 0.003 && took < 60, `seconds, not milliseconds: ${took}`);
  assert.equal(value("latchkey_hashes_running"), 0);
});

test("reports the hash queue during a flood, and counts refused hashes", async (t) => {
  const registry = new Registry();
  const meter = createMeter(registry, () => performance.now() / 1e3);
  const app = await startApp(t, { meter, signIn: { hashing: { atOnce: 1, waiting: 8 } } });
  await app.send("/setup", { form: SETUP_FORM });
  const form = { ...OWNER, password: "wrong" };
  const addresses = Array.from({ length: 40 }, (_, index) => `127.0.1.${index + 1}`);
  const flood = addresses.map((from) => app.send("/login", { form, from }));
  const during = await eventually(() => {
    const scraped = readScrape(registry.formatText());
    return (scraped.value("latchkey_hashes_refused_total") ?? 0) > 0 ? scraped : undefined;
  });
  assert.equal(during.value("latchkey_hashes_running"), 1);
  const waiting = during.value("latchkey_hashes_waiting") ?? 0;
  assert.ok(waiting > 0 && waiting <= 8, `${waiting} waiting`);

  const refused = (await Promise.all(flood)).filter(({ status }) => status === 503);
  const { value } = readScrape(registry.formatText());
  assert.equal(value("latchkey_hashes_refused_total"), refused.length);
  assert.equal(value(HASHES), 1 + flood.length - refused.length);
  assert.deepEqual([value("latchkey_hashes_running"), value("latchkey_hashes_waiting")], [0, 0]);
});

test("counts cached sessions and users of the guards", async (t) => {
  const gate = await startMeasured(t);
  const session = await gate.setUp();
  const of = async () => {
    const { value } = await gate.scrape();
    return [value("latchkey_remembered_sessions"), value("latchkey_remembered_users")];
  };
  assert.deepEqual(await of(), [0, 0]);
  await gate.send("/account/profile", { session });
  assert.deepEqual(await of(), [1, 1]);
  await gate.send("/account/profile", { session: (await gate.signIn()).session });
  await gate.send("/account/profile", { session: "forged" });
  assert.deepEqual(await of(), [2, 1]);
});
