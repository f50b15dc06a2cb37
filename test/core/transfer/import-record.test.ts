import assert from "node:assert/strict";
import { test } from "node:test";
import type { Values } from "../../../src/core/tables.ts";
import { fieldName, parseRecord } from "../../../src/core/transfer/import-record.ts";
import { byTable } from "../../stores/either.ts";

const HASH = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";

type Fields = Readonly<Record<string, unknown>>;

const read = (fields: Fields) =>
  parseRecord(new Map(Object.entries(fields).map(([name, value]) => [fieldName(name), value])));

const user = (fields: Fields = {}) => ({ username: "owner", password_hash: HASH, ...fields });

/** The rows of a line that is accepted, by their table. */
function rowsOf(fields: Fields): Readonly<Record<string, readonly Values[]>> {
  const one = read(fields);
  assert.ok(one.kind === "user", JSON.stringify(one));
  return byTable(one.user.rows);
}

test("keeps username, hash, ID and sessions_from unchanged", () => {
  const name = " O'Neil \u202e\n🔑 ";
  const fields = { username: name, id: "7f", sessions_from: 1_700_000_000 };
  assert.deepEqual(read(user(fields)), {
    kind: "user",
    user: {
      ...{ id: "7f", username: name },
      rows: [{ table: "users", rows: [["7f", name, HASH, 1_700_000_000, null, null]] }],
    },
  });
});

test("accepts a guest, whose account ends", () => {
  const guest = user({ id: "g", password_hash: "$guest$", ends_at: 7 });
  assert.deepEqual(rowsOf(guest).users, [["g", "owner", "$guest$", null, null, 7]]);
});

const AT = Date.UTC(10_000, 0) - 1;
const SESSION = { id: "s", created_at: 0, used_at: 1, expires_at: AT, address: "", device: "" };
const CODES = { secret: "sealed", last_step: 7, recovery: ["a", "b"], wrong: 2 };
const PASSKEY = { id: "k", name: "Phone", key: "a2V5", counter: 0, added_at: 1 };

test("keeps what belongs to a user, as an export writes it", () => {
  const id = `${"é".repeat(127)}x`;
  const sessions = [SESSION, { ...SESSION, id, address: "::1", device: "curl", ended_at: 9 }];
  const answers = [{ id: "n", expires_at: 5 }];
  const passkeys = [PASSKEY, { ...PASSKEY, id: "l", used_at: 3 }];
  const owned = { sessions, answers, passkeys, codes: [CODES] };
  const texts = Object.entries(owned).map(([name, list]) => [name, JSON.stringify(list)] as const);
  for (const fields of [owned, Object.fromEntries(texts)]) {
    const { users: _, ...rows } = rowsOf(user({ id: "7", ...fields }));
    assert.deepEqual(rows, {
      sessions: [
        ["s", "7", 0, 1, AT, "", "", null],
        [id, "7", 0, 1, AT, "::1", "curl", 9],
      ],
      passkeys: [
        ["k", "7", "Phone", "a2V5", 0, 1, null],
        ["l", "7", "Phone", "a2V5", 0, 1, 3],
      ],
      answers: [["n", "7", 5]],
      codes: [["7", null, "sealed", 7, ",a,b,", 2]],
    });
  }
});

test("imports a line that an earlier version exported, without its marks of ended sessions and begun codes", () => {
  const earlier = {
    id: "7",
    ended_sessions: '[["gone",1797964428]]',
    codes: '{"secret":"sealed","lastStep":7,"recovery":["a","b"],"wrong":2}',
    passkeys:
      '[{"id":"k","name":"Phone","key":"a2V5","counter":0,"addedAt":1,"usedAt":3,"answered":[{"nonce":"n","expiresAt":5}]}]',
    sessions: `[["s",0,1,${AT},"::1","curl"]]`,
  };
  const { users, ...rows } = rowsOf(user(earlier));
  assert.deepEqual(users, [["7", "owner", HASH, null, null, null]]);
  assert.deepEqual(rows, {
    sessions: [["s", "7", 0, 1, AT, "::1", "curl", null]],
    passkeys: [["k", "7", "Phone", "a2V5", 0, 1, 3]],
    codes: [["7", null, "sealed", 7, ",a,b,", 2]],
  });
  const older = rowsOf(user({ id: "7", codes: '{"secret":"s","lastStep":7,"recovery":[]}' }));
  assert.deepEqual(older.codes, [["7", null, "s", 7, ",", 0]]);
  assert.deepEqual(Object.keys(rowsOf(user({ codes: "begun aG93" }))), ["users"]);
});

test("gives rows to the user of the line, whoever they name", () => {
  const { sessions, codes } = rowsOf(
    user({ id: "7", sessions: [{ ...SESSION, user_id: "1" }], codes: [{ ...CODES, userId: "1" }] }),
  );
  assert.deepEqual([sessions?.[0]?.[1], codes?.[0]?.[0]], ["7", "7"]);
});

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
    assert.deepEqual(one.user.rows, [
      { table: "users", rows: [[one.user.id, "owner", HASH, null, null, null]] },
    ]);
  });
}

test("takes groups as a list, or as a cell of CSV, and no name that cannot be one", () => {
  for (const groups of [["family", "a-1"], '["family","a-1"]', "family,a-1"]) {
    assert.equal(rowsOf(user({ groups })).users?.[0]?.[4], ",family,a-1,");
  }
  for (const groups of [[""], ["Family"], ["a b"], "a,,b", [7], "x".repeat(33)]) {
    assert.equal(read(user({ groups })).kind, "refused", String(groups));
  }
});

test("accepts an ID that is a number or has 255 bytes, and sessions_from as text or 0", () => {
  for (const [fields, expected] of [
    [{ id: 42, sessions_from: "17" }, ["42", 17]],
    [{ id: `${"é".repeat(127)}x`, sessions_from: 0 }, [`${"é".repeat(127)}x`, 0]],
  ] as const) {
    const { users: [[id, , , from] = []] = [] } = rowsOf(user(fields));
    assert.deepEqual([id, from], expected);
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

const AS_EXPORTED = "must be as an export writes them";
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
  [user({ password_hash: "$guest$" }), "a guest needs ends_at"],
  [user({ id: "7\0" }), "id contains a NUL character"],
  [user({ id: 1.5 }), "id must be a string"],
  [user({ id: "x".repeat(256) }), "id is longer than 255 bytes"],
  [user({ sessions: "[" }), `sessions ${AS_EXPORTED}: one is not an object`],
  [user({ codes: "begin" }), `codes ${AS_EXPORTED}: one is not an object`],
  [user({ passkeys: [PASSKEY, null] }), `passkeys ${AS_EXPORTED}: one is not an object`],
  [user({ sessions: [{ ...SESSION, id: "" }] }), `sessions ${AS_EXPORTED}: id is missing`],
  [user({ sessions: [["s", 0, 1]] }), `sessions ${AS_EXPORTED}: expires_at is missing`],
  [
    user({ sessions: [{ ...SESSION, device: "é".repeat(128) }] }),
    `sessions ${AS_EXPORTED}: device is longer than 255 bytes`,
  ],
  [
    user({ passkeys: [{ ...PASSKEY, key: "\0" }] }),
    `passkeys ${AS_EXPORTED}: key contains a NUL character`,
  ],
  [
    user({ codes: [{ ...CODES, recovery: 7 }] }),
    `codes ${AS_EXPORTED}: recovery must be a list of texts without commas`,
  ],
  [
    user({ codes: [{ ...CODES, recovery: ["a,b"] }] }),
    `codes ${AS_EXPORTED}: recovery must be a list of texts without commas`,
  ],
  [
    user({ codes: [{ ...CODES, wrong: -1 }] }),
    `codes ${AS_EXPORTED}: wrong must be a whole number`,
  ],
  ...[-1, 1.5, 1e300, AT + 1, "x"].map(
    (value) =>
      [
        user({ sessions: [{ ...SESSION, used_at: value }] }),
        `sessions ${AS_EXPORTED}: used_at must be milliseconds since 1970`,
      ] as const,
  ),
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
