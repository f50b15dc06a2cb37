import assert from "node:assert/strict";
import { test } from "node:test";
import { fetchRequest } from "../../src/index.ts";
import { openAuth } from "../support/auth.ts";
import { inSeconds, mint } from "../support/mint.ts";
import { hashText } from "../support/store.ts";

for (const guard of ["requireAuth", "authMiddleware"] as const) {
  test(`${guard} refuses with the error page when the store fails`, async (t) => {
    const fail = (): Promise<never> => Promise.reject(new Error("the disk is gone"));
    const { auth, store, log } = await openAuth(t, {}, { hasUsers: fail, findUser: fail });
    const user = await store.insertFirstUser({ username: "owner", passwordHash: hashText("x") });
    const cookies = `session=${mint({ user_id: user?.id, exp: inSeconds(60) })}`;
    const request = fetchRequest(new Request("http://localhost/"));
    const result = await auth.adapter[guard](cookies, () => request);
    assert.ok(result.kind === "refused");
    assert.equal(result.answer.status, 500);
    assert.match(String(result.answer.body), /the server could not answer/);
    assert.doesNotMatch(String(result.answer.body), /the disk is gone/);
    assert.deepEqual(
      log.map(({ level, message }) => [level, message]),
      [["error", "request failed"]],
    );
  });
}
