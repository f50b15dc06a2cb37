import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldName, parseRecord, parseTime } from "../../../src/core/transfer/import-record.ts";

const HASH = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";
const AT = "2023-05-01T10:00:00Z";

type Fields = Readonly<Record<string, unknown>>;

const read = (fields: Fields) =>
  parseRecord(new Map(Object.entries(fields).map(([name, value]) => [fieldName(name), value])));

const user = (fields: Fields = {}) => ({ username: "owner", password_hash: HASH, ...fields });
const record = (fields: Fields = {}) => ({
  ...{ Action: "signin", Detail: "Signed in as owner", at: AT },
  ...fields,
});

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

test("reads a time without a zone as UTC on any machine", (t) => {
  const zone = process.env.TZ;
  t.after(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });
  process.env.TZ = "America/New_York";
  for (const time of ["2023-05-01T10:00:00", "2023-05-01 10:00"]) {
    assert.equal(parseTime(time)?.toISOString(), "2023-05-01T10:00:00.000Z");
  }
});

test("converts a log record to an entry of the system", () => {
  for (const type of ["signin", "signin_rate_limited", "signup", "password_change"]) {
    assert.deepEqual(read(record({ Action: type, Detail: "Zoë" })), {
      kind: "entry",
      entry: { at: new Date(AT), type, summary: "Zoë", author: "system" },
    });
  }
});

for (const name of ["at", "Time", "created_at", "CreatedAt"]) {
  test(`accepts ${name} as the time of a log record`, () => {
    const one = read({ action: "signup", detail: "x", [name]: 1_700_000_000 });
    assert.ok(one.kind === "entry");
    assert.equal(one.entry.at.toISOString(), "2023-11-14T22:13:20.000Z");
  });
}

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
  [user(record()), "it is both a user and a log record"],
  [record({ Action: "signout" }), "unknown Action"],
  [record({ Action: "" }), "Action is missing"],
  [record({ Detail: "" }), "Detail is missing"],
  [record({ Detail: "a\0b" }), "Detail contains a NUL character"],
  [record({ at: undefined }), "the time is missing (at, Time or created_at)"],
  [record({ at: "yesterday" }), "the time must be ISO 8601 or Unix time"],
  [record({ created_at: AT }), "more than one time is given"],
];
for (const [fields, reason] of refused) {
  const shown = JSON.stringify(fields).slice(0, 90);
  test(`refuses ${shown}: ${reason}`, () => {
    assert.deepEqual(read(fields), { kind: "refused", reason });
  });
}

const times: readonly (readonly [unknown, string | undefined])[] = [
  ["2023-05-01T10:00:00Z", "2023-05-01T10:00:00.000Z"],
  ["2023-05-01T10:00:00.123456789Z", "2023-05-01T10:00:00.123Z"],
  ["2023-05-01T10:00:00+02:00", "2023-05-01T08:00:00.000Z"],
  ["2023-05-01 10:00:00 -0530", "2023-05-01T15:30:00.000Z"],
  ["2023-05-01t10:00:00z", "2023-05-01T10:00:00.000Z"],
  ["2024-02-29", "2024-02-29T00:00:00.000Z"],
  ["1700000000", "2023-11-14T22:13:20.000Z"],
  [1_700_000_000, "2023-11-14T22:13:20.000Z"],
  [1_700_000_000.5, "2023-11-14T22:13:20.500Z"],
  ["1700000000123", "2023-11-14T22:13:20.123Z"],
  ["1700000000.55", "2023-11-14T22:13:20.550Z"],
  ["2023-05-01 10:00.5", "2023-05-01T10:00:00.500Z"],
  [99_999_999_999, "5138-11-16T09:46:39.000Z"],
  [100_000_000_000, "1973-03-03T09:46:40.000Z"],
  ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
  [253_402_300_800_000, undefined],
  ["x2023-05-01", undefined],
  ["2023-05-01x", undefined],
  [["2023-05-01"], undefined],
  [0, "1970-01-01T00:00:00.000Z"],
  ["2023-02-30T10:00:00Z", undefined],
  ["2023-05-01T25:00:00Z", undefined],
  ["2023-13-01", undefined],
  ["10:00", undefined],
  ["05/01/2023", undefined],
  ["+1", undefined],
  [-1, undefined],
  ["999999999999999", undefined],
  [{}, undefined],
];
for (const [given, expected] of times) {
  test(`${JSON.stringify(given)} is ${expected ?? "no time"}`, () => {
    assert.equal(parseTime(given)?.toISOString(), expected);
  });
}
