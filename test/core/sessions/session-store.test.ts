import assert from "node:assert/strict";
import { test } from "node:test";
import { keepsSessions, type SessionStore } from "../../../src/core/sessions/session-store.ts";
import { openStore } from "../../support/store.ts";

test("a store keeps sessions if it lacks no method for them", async (t) => {
  const store = await openStore(t);
  assert.equal(keepsSessions(store), true);
  for (const method of [
    "insertSession",
    "noteSessionsUsed",
    "findSession",
    "readSessionsOf",
    "readSessions",
    "removeSessions",
    "replaceExtra",
    "endSessions",
  ] as const) {
    const without: Partial<SessionStore> = { ...store };
    delete without[method];
    assert.equal(keepsSessions(without), false, method);
  }
});
