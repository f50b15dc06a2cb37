import assert from "node:assert/strict";
import { test } from "node:test";
import { messageOf } from "../src/core/base/fault.ts";
import { createAuth, fetchRequest } from "../src/index.ts";
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
    const reasons = log.lines.map(({ fields }) => messageOf(fields.err));
    assert.deepEqual(reasons, [reason, reason]);
  });
}
