import assert from "node:assert/strict";
import { test } from "node:test";
import { createAuth } from "../src/index.ts";
import { SECRET } from "./support/gate.ts";
import { recordingLog } from "./support/recording-log.ts";
import { openStore } from "./support/store.ts";

for (const [what, options, code] of [
  ["a missing pages folder", { pages: { dir: "/there/is/no/folder" } }, "pages_unreadable"],
  [
    "a shared limiter that the store does not support",
    { signIn: { limiter: "shared" } },
    "invalid_option",
  ],
] as const) {
  test(`does not watch the store when createAuth throws (${what})`, async (t) => {
    const store = await openStore(t);
    let watched = 0;
    const counting = {
      ...store,
      watchUsers: () => {
        watched += 1;
        return { confirmedAt: () => 0, close: async () => {} };
      },
    };
    const all = { store: counting, secret: SECRET, log: recordingLog(), ...options };
    assert.throws(() => createAuth(all), { code });
    assert.equal(watched, 0);
  });
}
