import assert from "node:assert/strict";
import { test } from "node:test";
import { createAuth } from "../src/index.ts";
import { SECRET } from "./support/gate.ts";
import { recordingLog } from "./support/recording-log.ts";
import { openStore } from "./support/store.ts";

for (const [what, options] of [
  ["a folder of pages that is not there", { pagesDir: "/there/is/no/folder" }],
  ["a limiter that the store cannot share", { limiter: "shared" }],
] as const) {
  test(`where createAuth fails (${what}), nothing of it goes on watching the store`, async (t) => {
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
    assert.throws(() => createAuth(all));
    assert.equal(watched, 0);
  });
}
