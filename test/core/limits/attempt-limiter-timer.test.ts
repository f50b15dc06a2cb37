import assert from "node:assert/strict";
import { test } from "node:test";
import { createAuth } from "../../../src/auth.ts";
import { Unavailable } from "../../../src/core/base/fault.ts";
import { fetchRequest } from "../../../src/index.ts";
import { SECRET } from "../../support/gate.ts";
import { recordingLog } from "../../support/recording-log.ts";
import { hashText, openStore } from "../../support/store.ts";

const FIVE_MINUTES = 5 * 60_000;

test("cleans the limiter up every five minutes until createAuth is closed", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const store = await openStore(t);
  await store.users.insertFirst({ username: "owner", passwordHash: hashText("no hash") });
  // Fails after the limiter has been asked, or every address of the flood would cost a hash.
  const busy = () => Promise.reject(new Unavailable("store_busy", "busy", 1));
  t.mock.method(store.users, "findByName", busy);
  const auth = createAuth({ secret: SECRET, log: recordingLog(), store });

  const request = new Request("http://localhost/login", { method: "POST" });
  const statusFor = async (remoteAddress: string): Promise<number> => {
    return (await auth.adapter.answer(fetchRequest(request, { remoteAddress }))).status;
  };
  const [admitted, denied] = [503, 303];
  async function flood(network: string, addresses: number): Promise<void> {
    for (let i = 0; i < addresses; i += 1) {
      assert.equal(await statusFor(`${network}:${i.toString(16)}`), admitted);
    }
    assert.equal(await statusFor("192.0.2.1"), denied);
  }

  await flood("2001:db8:1:", 10_001);
  now += FIVE_MINUTES;
  t.mock.timers.tick(FIVE_MINUTES - 1);
  assert.equal(await statusFor("192.0.2.1"), denied, "just before the clean-up");
  t.mock.timers.tick(1);
  assert.equal(await statusFor("192.0.2.1"), admitted, "after the clean-up");

  await flood("2001:db8:2:", 10_000);
  await auth.close();
  now += FIVE_MINUTES;
  t.mock.timers.tick(FIVE_MINUTES);
  assert.equal(await statusFor("192.0.2.1"), denied, "after it was closed");
});
