import assert from "node:assert/strict";
import { test } from "node:test";
import { createSettledAuth } from "../../src/auth.ts";
import { fetchRequest } from "../../src/index.ts";
import { Unavailable } from "../../src/lib/fault.ts";
import { type Levels, noMeter } from "../../src/lib/meter.ts";
import { NO_GATE } from "../../src/options.ts";
import { settleOptions } from "../../src/settle-options.ts";
import { SECRET } from "../support/gate.ts";
import { recordingLog } from "../support/recording-log.ts";
import { hashText, openStore } from "../support/store.ts";

const FIVE_MINUTES = 5 * 60_000;

test("cleans the limiter up every five minutes until createAuth is closed", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const store = await openStore(t);
  await store.users.insertFirst({ username: "owner", passwordHash: hashText("no hash") });
  // Fails after the limiter has been asked, or every attempt would cost a hash.
  const busy = () => Promise.reject(new Unavailable("store_busy", "busy", 1));
  t.mock.method(store.users, "findActiveByName", busy);
  const watch = t.mock.fn((_: Levels) => {});
  const options = settleOptions({ secret: SECRET, log: recordingLog(), store }, undefined);
  const auth = createSettledAuth(options, { ...NO_GATE, meter: { ...noMeter, watch } });
  const [levels] = watch.mock.calls[0]?.arguments ?? [];
  const request = new Request("http://localhost/login", { method: "POST" });
  const attempt = (remoteAddress: string) =>
    auth.adapter.answer(fetchRequest(request, { remoteAddress }));

  for (const address of ["192.0.2.1", "192.0.2.2"]) await attempt(address);
  now += FIVE_MINUTES;
  t.mock.timers.tick(FIVE_MINUTES - 1);
  assert.equal(levels?.countTrackedAddresses(), 2, "just before the clean-up");
  t.mock.timers.tick(1);
  assert.equal(levels?.countTrackedAddresses(), 0, "after the clean-up");

  await attempt("192.0.2.1");
  await auth.close();
  now += FIVE_MINUTES;
  t.mock.timers.tick(FIVE_MINUTES);
  assert.equal(levels?.countTrackedAddresses(), 1, "after it was closed");
});
