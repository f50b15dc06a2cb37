import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldName, parseRecord } from "../../../src/core/transfer/import-record.ts";

const HASH = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";

type Fields = Readonly<Record<string, unknown>>;

const read = (fields: Fields) =>
  parseRecord(new Map(Object.entries(fields).map(([name, value]) => [fieldName(name), value])));

const user = (fields: Fields = {}) => ({ username: "owner", password_hash: HASH, ...fields });

test("keeps username, hash, ID, sessions_from and further facts unchanged", () => {
  const name = " O'Neil \u202e\n🔑 ";
  const extras = { endedSessions: "ended ", codes: "{}", passkeys: "[]" };
  const fields = { username: name, id: "7f", sessions_from: 1_700_000_000, ...extras };
  assert.deepEqual(read(user(fields)), {
    kind: "user",
    user: { id: "7f", username: name, passwordHash: HASH, sessionsFrom: 1_700_000_000, ...extras },
  });
});

const AT_MS = 1_893_553_445_678;
const SESSION: readonly unknown[] = ["5f1c", AT_MS, AT_MS + 1, AT_MS + 2, "::1", "curl"];
/** A session with one part replaced. */
const sessionWith = (at: number, part: unknown) => SESSION.toSpliced(at, 1, part);

test("keeps the sessions of a user", () => {
  const sessions = [
    SESSION,
    sessionWith(0, `${"é".repeat(127)}x`),
    sessionWith(1, 0),
    sessionWith(3, Date.UTC(10_000, 0) - 1),
    sessionWith(4, ""),
    sessionWith(5, ""),
  ];
  const one = read(user({ sessions: ` ${JSON.stringify(sessions)}\n` }));
  assert.ok(one.kind === "user");
  assert.equal(one.user.sessions, JSON.stringify(sessions));
});

for (const list of [
  ...[{}, null, 1, "x", [{}], [null], [["5f1c"]], [SESSION.slice(1)], [[...SESSION, ""]]],
  [SESSION, sessionWith(0, "")],
  ...[0, 4, 5].flatMap((at) =>
    [null, 1, "\0", "\ud800", "é".repeat(128)].map((part) => [sessionWith(at, part)]),
  ),
  ...[1, 2, 3].flatMap((at) =>
    [null, "1", -1, 1.5, 1e300, Date.UTC(10_000, 0)].map((part) => [sessionWith(at, part)]),
  ),
]) {
  test(`refuses sessions that no export writes: ${JSON.stringify(list).slice(0, 60)}`, () => {
    const reason = "sessions must be a list of sessions as an export writes it";
    assert.deepEqual(read(user({ sessions: JSON.stringify(list) })), { kind: "refused", reason });
  });
}

for (const [what, fields] of Object.entries({
  "as a variable": { username: "owner", password_hash: HASH },
  "as a field of the record": { Username: "owner", PasswordHash: HASH, ID: null },
  "in capitals": { USERNAME: "owner", PASSWORD_HASH: HASH, id: "" },
})) {
  test(`accepts field names written ${what}, and creates an ID without one`, () => {
    const [one, other] = [read(fields), read(fields)];
    assert.ok(one.kind === "user" && other.kind === "user");
    assert.match(one.user.id, /^[0-9a-f-]{36}$/);
    assert.notEqual(one.user.id, other.user.id);
    assert.deepEqual(one.user, { id: one.user.id, username: "owner", passwordHash: HASH });
  });
}

test("accepts an ID that is a number or has 255 bytes, and sessions_from as text or 0", () => {
  for (const [fields, expected] of [
    [{ id: 42, sessions_from: "17" }, ["42", 17]],
    [{ id: `${"é".repeat(127)}x`, sessions_from: 0 }, [`${"é".repeat(127)}x`, 0]],
  ] as const) {
    const one = read(user(fields));
    assert.ok(one.kind === "user");
    assert.deepEqual([one.user.id, one.user.sessionsFrom], expected);
  }
});

test("throws other errors instead of refusing the line", () => {
  class Failing extends Map<string, unknown> {
    override get(): unknown {
      throw new Error("the disk is full");
    }
  }
  assert.throws(() => parseRecord(new Failing()), /the disk is full/);
});

const refused: readonly (readonly [Fields, string])[] = [
  [{}, "username is missing"],
  [user({ username: "" }), "username is missing"],
  [user({ username: null }), "username is missing"],
  [user({ username: 7 }), "username must be a string"],
  [user({ username: "ow\0ner" }), "username contains a NUL character"],
  [user({ username: "\ud83d" }), "username is not valid Unicode"],
  [user({ username: "é".repeat(32_769) }), "username is longer than 65536 bytes"],
  [user({ password_hash: undefined }), "password_hash is missing"],
  [user({ password_hash: "hunter2" }), "unknown password_hash format"],
  [user({ password_hash: "x".repeat(1_025) }), "password_hash is longer than 1024 bytes"],
  [
    user({ password_hash: HASH.replace("$05$", "$31$") }),
    "the password_hash would take too much memory or time to verify",
  ],
  [user({ id: "7\0" }), "id contains a NUL character"],
  [user({ id: 1.5 }), "id must be a string"],
  [user({ id: "x".repeat(256) }), "id is longer than 255 bytes"],
  [user({ sessions: "[" }), "sessions must be a list of sessions as an export writes it"],
  [user({ sessions: [] }), "sessions must be a string"],
  ...[-1, 1.5, "1e3", "12x", "x12", true, [7]].map(
    (value) =>
      [user({ sessions_from: value }), "sessions_from must be seconds since 1970"] as const,
  ),
];
for (const [fields, reason] of refused) {
  const shown = JSON.stringify(fields).slice(0, 90);
  test(`refuses ${shown}: ${reason}`, () => {
    assert.deepEqual(read(fields), { kind: "refused", reason });
  });
}
