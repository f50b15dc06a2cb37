import assert from "node:assert/strict";
import { test } from "node:test";
import { messageOf } from "../src/core/base/fault.ts";
import { createAuth, fetchRequest } from "../src/index.ts";
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
      changes: {
        watch: () => {
          watched += 1;
          return { confirmedAt: () => 0, close: async () => {} };
        },
      },
    };
    await createAuth({ store: counting, secret: SECRET, log: recordingLog() }).close();
    assert.equal(watched, 1);
    const all = { store: counting, secret: SECRET, log: recordingLog(), ...options };
    assert.throws(() => createAuth(all), { code });
    assert.equal(watched, 1);
  });
}

for (const path of ["/auth/login", "/auth/setup"]) {
  test(`a guard that is asked for ${path} fails once instead of redirecting to itself`, async (t) => {
    const store = await openStore(t);
    const log = recordingLog();
    const auth = createAuth({ store, secret: SECRET, log, basePath: "/auth" });
    t.after(() => auth.close());
    const request = fetchRequest(new Request(`http://localhost${path}?return_to=/a`));
    for (const guard of [auth.adapter.requireAuth, auth.adapter.authMiddleware]) {
      const result = await guard(undefined, () => request);
      assert.ok(result.kind === "refused");
      assert.deepEqual([result.answer.status, result.answer.headers.Location], [500, undefined]);
    }
    const reason = `a guard was called for ${path}, which Latchkey's routes answer: mount the routes before the guard`;
    assert.deepEqual(
      log.lines.map(({ fields }) => messageOf(fields.err)),
      [reason, reason],
    );
  });
}
