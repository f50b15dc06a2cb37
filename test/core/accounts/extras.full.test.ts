import assert from "node:assert/strict";
import { test } from "node:test";
import { changeExtra } from "../../../src/core/accounts/extras.ts";
import { accountPorts } from "./account-ports.ts";

test("gives up for now if the extra keeps changing for five seconds", async (t) => {
  const { store, accounts } = await accountPorts(t, "owner");
  const [owner] = await accounts();
  assert.ok(owner);
  const replaceExtra = t.mock.fn(async () => false);
  const change = () => ({ kind: "replace", by: "a", outcome: "done" }) as const;
  const from = performance.now();
  await assert.rejects(changeExtra({ ...store, replaceExtra }, owner, "passkeys", change), {
    code: "account_busy",
    message: /too many requests/,
  });
  const took = performance.now() - from;
  assert.ok(took > 4_900 && took < 8_000, `${took} ms`);
  assert.ok(replaceExtra.mock.callCount() < 100, "it waits between its tries");
});
