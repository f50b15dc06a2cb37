import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { addKey } from "../support/add-key.ts";
import { addUser } from "../support/add-user.ts";
import { inDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { type RunningGate, startConfigured, startGate } from "../support/gate.ts";
import { partsOf } from "../support/mint.ts";
import { FORWARD_AUTH } from "./forward-auth-asking.ts";

interface StoredProfile {
  readonly name?: string;
  readonly email?: string;
  readonly verified?: boolean;
}

/** Writes a profile beside the gate, as another process or an older import may have. */
function writeProfile({ databaseFile }: RunningGate, id: string, profile: StoredProfile): void {
  const { name = null, email = null, verified = false } = profile;
  inDatabase(databaseFile, (database) =>
    database
      .prepare(
        "INSERT OR REPLACE INTO latchkey_profiles (id, user_id, name, email, verified_email) VALUES (?, ?, ?, ?, ?)",
      )
      .run(id, id, name, email, verified ? email : null),
  );
}

/** Reads a header as the UTF-8 that its bytes are. */
const decode = (value: unknown): string | undefined =>
  typeof value === "string" ? Buffer.from(value, "latin1").toString() : undefined;

test("sends the name, and the address only once it is verified", async (t) => {
  const { gate, session } = await startConfigured(t, FORWARD_AUTH);
  const id = String(partsOf(session).claims.user_id);
  const Authorization = `Bearer ${await addKey(gate)}`;
  const ask = async (path = "/forward-auth") => {
    const [bySession, byKey] = await Promise.all([
      gate.send(path, { session }),
      gate.send(path, { headers: { Authorization } }),
    ]);
    return [bySession, byKey].map(({ status, headers }) => {
      assert.equal(status, 200);
      assert.equal(headers["remote-user"], "owner");
      return [decode(headers["remote-name"]), headers["remote-email"]];
    });
  };
  const none = [undefined, undefined];
  assert.deepEqual(await ask(), [none, none]);
  // A change of another process counts within a second, for each of the two at its own moment.
  const counts = (expected: readonly unknown[]) =>
    eventually(async () => isDeepStrictEqual(await ask(), [expected, expected]) || undefined);
  writeProfile(gate, id, { name: "Owner Example" });
  await counts(["Owner Example", undefined]);
  writeProfile(gate, id, { name: "Owner Example", email: "owner@example.org" });
  writeProfile(gate, id, { name: "Jürgen, 100% 日本", email: "owner@example.org" });
  await counts(["Jürgen, 100% 日本", undefined]);
  writeProfile(gate, id, { email: "Owner@example.org", verified: true });
  await counts([undefined, "Owner@example.org"]);
});

/** Names that the rule refuses, and which an import of an older version may have brought. */
const unsafe: readonly string[] = [
  "a\r\nRemote-User: admin",
  "a\nSet-Cookie: session=x",
  "a\u0085b",
  "a\u0001b",
  "a\u007fb",
  "a\u2028b",
  "a\u202eb",
  "x".repeat(256),
  "x".repeat(10_000_000),
];

test("a stored text that no header can carry safely is left out", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const plain = await gate.send("/forward-auth", { session: addUser(gate, "plain", "0") });
  for (const [at, text] of unsafe.entries()) {
    const id = `user-${at}`;
    const session = addUser(gate, id, id);
    writeProfile(gate, id, { name: text, email: `${text}@example.org`, verified: true });
    const { status, headers } = await gate.send("/forward-auth", { session });
    const label = JSON.stringify(text.slice(0, 40));
    assert.deepEqual([status, headers["remote-user"]], [200, id], label);
    assert.deepEqual(Object.keys(headers), Object.keys(plain.headers), label);
  }
});

test("names of every script arrive as the bytes of UTF-8", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const names = [
    "Jürgen",
    "عبد الرحمن",
    "欧阳娜娜",
    "😀 Ann",
    'O\'Neil, "Ann"',
    "{http.vars.x}",
    "%41",
  ];
  for (const name of names) {
    const session = addUser(gate, name, name);
    writeProfile(gate, name, { name });
    const { headers } = await gate.send("/forward-auth", { session });
    assert.equal(decode(headers["remote-name"]), name);
  }
});

test("a guest has neither, whatever is stored", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const session = addUser(gate, "guest", "guest");
  inDatabase(gate.databaseFile, (database) =>
    database.exec(
      "UPDATE latchkey_users SET password_hash = '$guest$', ends_at = 9999999999999, groups = ',family,' WHERE id = 'guest'",
    ),
  );
  writeProfile(gate, "guest", { name: "G", email: "g@example.org", verified: true });
  const { status, headers } = await gate.send("/forward-auth?groups=family", { session });
  assert.equal(status, 200);
  assert.deepEqual([headers["remote-name"], headers["remote-email"]], [undefined, undefined]);
});

test("Envoy removes those headers of a client that the answer does not replace", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const removed = async (id: string, profile: StoredProfile, headers = {}) => {
    const session = addUser(gate, id, id);
    writeProfile(gate, id, profile);
    const answer = await gate.send("/forward-auth/page", { session, headers });
    assert.equal(answer.status, 200);
    return answer.headers["x-envoy-auth-headers-to-remove"];
  };
  const email = "a@example.org";
  assert.equal(await removed("1", {}), "remote-name, remote-email");
  assert.equal(await removed("2", { name: "A" }), "remote-email");
  assert.equal(await removed("3", { name: "A", email }), "remote-email");
  assert.equal(await removed("4", { email, verified: true }), "remote-name");
  assert.equal(await removed("5", { name: "A", email: `x${email}`, verified: true }), undefined);
  const Authorization = `Bearer ${await addKey(gate)}`;
  const byKey = await gate.send("/forward-auth/page", { headers: { Authorization } });
  assert.equal(
    byKey.headers["x-envoy-auth-headers-to-remove"],
    "remote-name, remote-email, authorization",
  );
  const refused = await gate.send("/forward-auth/page");
  assert.equal(refused.headers["x-envoy-auth-headers-to-remove"], undefined);
});
