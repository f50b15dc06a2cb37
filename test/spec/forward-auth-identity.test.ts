import assert from "node:assert/strict";
import { test } from "node:test";
import { addUser } from "../support/add-user.ts";
import { startGate } from "../support/gate.ts";

const names: Readonly<Record<string, string>> = {
  owner: "owner",
  "Ann Lee": "Ann Lee",
  "a  b": "a  b",
  "O'Neil-Smith_2.0~!*()": "O'Neil-Smith_2.0~!*()",
  'a;c="d"': 'a;c="d"',
  "owner,a": "owner%2Ca",
  "a, owner": "a%2C%20owner",
  "a+b": "a+b",
  "a/b?c#d&e": "a/b?c#d&e",
  "100%": "100%25",
  "a%20b": "a%2520b",
  "%41": "%2541",
  "%": "%25",
  " owner": "%20owner",
  "owner ": "owner%20",
  " ": "%20",
  "a\tb": "a%09b",
  "a\r\nSet-Cookie: session=x": "a%0D%0ASet-Cookie%3A%20session%3Dx",
  "owner\r\nRemote-User-Id: 1\r\n\r\n": "owner%0D%0ARemote-User-Id%3A%201%0D%0A%0D%0A",
  "a\u0001b\u001b[31m": "a%01b%1B%5B31m",
  "a\u007fb": "a%7Fb",
  "a\u0085b": "a%C2%85b",
  Jürgen: "J%C3%BCrgen",
  "😀": "%F0%9F%98%80",
  "a\u2028b\u202ec": "a%E2%80%A8b%E2%80%AEc",
  "\ufeffa": "%EF%BB%BFa",
};

test("sends plain ASCII usernames and IDs unchanged and percent-encodes all others", async (t) => {
  const gate = await startGate(t);
  await gate.setUp({ username: "first" });
  const plain = await gate.send("/forward-auth", { session: addUser(gate, "somebody", "7") });
  for (const [name, header] of Object.entries(names)) {
    // An imported account can have any text as its ID.
    const session = addUser(gate, name, name);
    const { status, headers, body } = await gate.send("/forward-auth", { session });
    assert.deepEqual([status, body], [200, ""], JSON.stringify(name));
    assert.deepEqual([headers["remote-user"], headers["remote-user-id"]], [header, header]);
    assert.equal(decodeURIComponent(header), name);
    assert.deepEqual(Object.keys(headers), Object.keys(plain.headers), JSON.stringify(name));
  }
  assert.equal(new Set(Object.values(names)).size, Object.keys(names).length);
});
