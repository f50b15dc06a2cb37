import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { UserId } from "../../../src/core/records.ts";
import { createSessionRules } from "../../../src/core/sessions/session-rules.ts";
import { accountWithSessions, CLIENT, idOf } from "./session-ports.ts";

const FORGED = "a.b.c";

async function scene(t: TestContext) {
  const account = await accountWithSessions(t);
  const { ports } = account;
  const tokenIn = (text: string) => {
    const token = ports.tokens.verify(text);
    return typeof token === "object" ? token : undefined;
  };
  const sessions = createSessionRules({ ...ports, tokenIn });
  return { ...account, sessions };
}

test("lists the user's sessions, and names the one of the request, if its token is genuine", async (t) => {
  const { sessions, start } = await scene(t);
  const [other, own] = [await start(), await start()];
  const list = await sessions.list(own, CLIENT);
  const ids = list.sessions.map(({ id }) => id);
  assert.deepEqual(ids, [idOf(own), idOf(other)]);
  assert.equal(list.currentId, idOf(own));
  const none = { sessions: [], hasMore: false, currentId: undefined };
  assert.deepEqual(await sessions.list(FORGED, CLIENT), none);
});

test("does not verify a token again that a guard has admitted", async (t) => {
  const { ports, start } = await scene(t);
  const token = await start();
  const verified = ports.tokens.verify(token);
  assert.ok(typeof verified === "object");
  const verify = t.mock.method(ports.tokens, "verify");
  const sessions = createSessionRules({ ...ports, tokenIn: () => verified });
  assert.equal((await sessions.list(token, CLIENT)).currentId, idOf(token));
  assert.equal(verify.mock.callCount(), 0);
});

test("ends one session and records it, and records nothing for an unknown session", async (t) => {
  const { ports, user, sessions, start, isSignedIn } = await scene(t);
  const tokens = [await start(), await start()];
  assert.equal(await sessions.end(user, "unknown", CLIENT), "no-session");
  for (const token of tokens) {
    assert.equal(await sessions.end(user, idOf(token), CLIENT), "ended");
    assert.equal(await isSignedIn(token), false);
  }
  const entry = "session_end: Ended a session of owner";
  assert.deepEqual(await ports.writtenEntries(), [entry, entry]);
});

test("ends all sessions if the token of the request is forged, and records none of nobody", async (t) => {
  const { ports, user, sessions, start, isSignedIn } = await scene(t);
  const token = await start();
  assert.equal(await sessions.endOthers(user, FORGED, CLIENT), undefined);
  assert.equal(await isSignedIn(token), false);
  const nobody = { ...user, id: "nobody" as UserId };
  assert.equal(await sessions.endOthers(nobody, token, CLIENT), undefined);
  assert.equal((await ports.writtenEntries()).length, 1);
});
