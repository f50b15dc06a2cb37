import assert from "node:assert/strict";
import { test } from "node:test";
import { fetchRequest } from "../../src/index.ts";
import { openAuth } from "../support/auth.ts";
import { startConfigured } from "../support/gate.ts";
import { inSeconds, mint, partsOf } from "../support/mint.ts";
import { addTo } from "../support/store.ts";

const JUNK = "session=junk";
const FORGED = mint({ user_id: "id", exp: inSeconds(60) }, { secret: "another" });

test("everything takes the first genuine session cookie, or logs", async (t) => {
  const { auth, store, log } = await openAuth(t);
  const [ann, ben] = await Promise.all(["ann", "ben"].map((name) => addTo(store, name)));
  const tokenOf = (id = ""): string => mint({ user_id: id, exp: inSeconds(60) });
  const expired = mint({ user_id: ann?.id, exp: inSeconds(-60) });
  for (const [cookies, username] of [
    [`${JUNK}; session=${tokenOf(ann?.id)}`, "ann"],
    [`session=; ${JUNK}; a=b; session=${FORGED}; ${JUNK}; session=${tokenOf(ann?.id)}`, "ann"],
    [`session=${tokenOf(ben?.id)}; session=${tokenOf(ann?.id)}`, "ben"],
    [`${JUNK}; session=${tokenOf(ben?.id)}; session=${tokenOf(ann?.id)}`, "ben"],
    [`session=${expired}; session=${tokenOf(ann?.id)}`, undefined],
    [`${JUNK}; session=${expired}`, undefined],
  ] as const) {
    const request = fetchRequest(
      new Request("http://localhost/", { headers: { cookie: cookies } }),
    );
    for (const guard of [auth.adapter.requireAuth, auth.adapter.authMiddleware]) {
      const result = await guard(cookies, () => request);
      assert.equal(result.kind === "admitted" ? result.user.username : undefined, username);
    }
    assert.equal((await auth.adapter.currentUser(cookies))?.username, username);
    assert.equal((await auth.adapter.pageHelpers(request)).CurrentUser?.username, username);
  }
  assert.deepEqual(log, []);
  const five = `${`${JUNK}; `.repeat(4)}session=${tokenOf(ann?.id)}`;
  for (const cookies of [five, `session=${FORGED}; ${JUNK}`]) {
    const request = fetchRequest(new Request("http://localhost/"));
    const result = await auth.adapter.requireAuth(cookies, () => request);
    assert.equal(result.kind, "refused");
  }
  const messages = log.map(({ message }) => message);
  assert.deepEqual(messages, Array(2).fill("forged session token refused"));
});

test("the sign-out and the list of sessions concern the session that a guard admits", async (t) => {
  const { gate, session } = await startConfigured(t);
  const headers = { Cookie: `${JUNK}; session=${session}` };
  const home = await gate.send("/account/devices", { headers });
  assert.match(home.body, new RegExp(`value="${partsOf(session).claims.jti}"`));
  assert.equal((await gate.send("/forward-auth", { headers })).status, 200);
  assert.equal((await gate.send("/logout", { form: {}, headers })).location, "/login");
  assert.equal(
    (await gate.send("/account/devices", { session })).status,
    303,
    "the session has ended",
  );
});
