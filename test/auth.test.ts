import assert from "node:assert/strict";
import { test } from "node:test";
import { createAuth } from "../src/index.ts";
import { SECRET } from "./support/gate.ts";
import { recordingLog } from "./support/recording-log.ts";
import { openStore } from "./support/store.ts";

test("does not watch the store when createAuth throws", async (t) => {
  const store = await openStore(t);
  let watched = 0;
  const counting = {
    ...store,
    changes: {
      watch: () => {
        watched += 1;
        return { confirmedAt: () => 0, close: async () => {} };
      },
    },
  };
  const options = { store: counting, secret: SECRET, log: recordingLog() };
  await createAuth(options).close();
  assert.equal(watched, 1);
  const shared = { limiter: "shared" } as const;
  assert.throws(() => createAuth({ ...options, signIn: shared }), { code: "invalid_option" });
  const pages = { dir: "/there/is/no/folder" };
  assert.throws(() => createAuth({ ...options, pages }), { code: "pages_unreadable" });
  assert.equal(watched, 1);
});
