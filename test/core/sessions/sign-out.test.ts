import assert from "node:assert/strict";
import { test } from "node:test";
import { signOut } from "../../../src/core/sessions/sign-out.ts";
import { mint } from "../../support/mint.ts";
import { accountWithSessions } from "./session-ports.ts";

test("ends the session of a token, recorded or not, and leaves the user's others", async (t) => {
  const { ports, user, start, isSignedIn } = await accountWithSessions(t);
  const [recorded, other] = [await start(), await start()];
  const unrecorded = ports.tokens.issue(user.id);
  for (const token of [recorded, unrecorded]) {
    assert.equal(await isSignedIn(token), true);
    assert.deepEqual(await signOut(ports, token), { ended: user.id });
    assert.equal(await isSignedIn(token), false);
  }
  assert.equal(await isSignedIn(other), true);
});

test("keeps the ended session in the list until its token expires", async (t) => {
  const { ports, user, ended } = await accountWithSessions(t);
  const exp = ports.clock.now() / 1_000 + 60;
  await signOut(ports, mint({ user_id: user.id, jti: "a", exp }));
  assert.deepEqual(await ended(), new Map([["a", exp]]));
});

test("ends nothing without a session that can be ended", async (t) => {
  const { ports, user, ended } = await accountWithSessions(t);
  const now = ports.clock.now() / 1_000;
  for (const text of [
    "",
    "a.b.c",
    mint({ user_id: user.id, jti: "a", exp: now - 1 }),
    mint({ user_id: user.id, exp: now + 60 }),
  ]) {
    assert.equal(await signOut(ports, text), "no-session", text);
  }
  assert.deepEqual(await ended(), new Map());
});
