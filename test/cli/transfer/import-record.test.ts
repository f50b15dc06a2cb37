import assert from "node:assert/strict";
import { test } from "node:test";
import { verify } from "@node-rs/argon2";
import { normalizeFieldName, parseRecord } from "../../../src/cli/transfer/import-record.ts";
import { toIdentityId, UNSET_PASSWORD } from "../../../src/db/records.ts";
import type { Row } from "../../../src/db/tables.ts";
import { byTable } from "../../db/either.ts";

const HASH = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";

type Fields = Readonly<Record<string, unknown>>;

const read = (fields: Fields) =>
  parseRecord(
    new Map(Object.entries(fields).map(([name, value]) => [normalizeFieldName(name), value])),
  );

const user = (fields: Fields = {}) => ({ username: "owner", password_hash: HASH, ...fields });

/** The rows of a line that is accepted, by their table. */
function rowsOf(fields: Fields): Readonly<Record<string, readonly Row[]>> {
  const one = read(fields);
  assert.ok(typeof one === "object", JSON.stringify(one));
  return byTable(one.rows);
}

test("keeps username, hash, ID and sessions_from unchanged", () => {
  const name = " O'Neil \u202e\n🔑 ";
  const fields = { username: name, id: "7f", sessions_from: 1_700_000_000 };
  assert.deepEqual(read(user(fields)), {
    ...{ id: "7f", isKnown: true, username: name },
    rows: [{ table: "users", rows: [["7f", name, HASH, 1_700_000_000, null, null]] }],
    ...{ verifiedEmail: undefined, notes: [] },
  });
});

test("takes name and address as other systems write them, unverified without a yes", () => {
  const profileOf = (fields: Fields) => {
    const imported = read(user({ ...fields, id: "7" }));
    assert.ok(typeof imported === "object", JSON.stringify(imported));
    const [[, , ...profile] = []] = byTable(imported.rows).profiles ?? [];
    return [profile, imported.verifiedEmail, imported.notes.length];
  };
  const email = "Ada@example.org";
  for (const name of ["name", "displayname", "Display_Name", "displayName"])
    assert.deepEqual(profileOf({ [name]: " Ada " }), [["Ada", null, null, null], undefined, 0]);
  for (const no of [undefined, null, "", false, 0, "0", "f", "false", "2026-01-01", [true], "on"]) {
    const fields = { email, email_verified: no };
    assert.deepEqual(profileOf(fields), [[null, email, null, null], undefined, 0], String(no));
  }
  const lower = email.toLowerCase();
  for (const yes of [true, 1, "1", "t", "true", "yes"]) {
    const fields = { email, emailVerified: yes };
    assert.deepEqual(profileOf(fields), [[null, email, lower, null], lower, 0], String(yes));
  }
  assert.deepEqual(profileOf({ name: "", email: " " }), [[], undefined, 0]);
  for (const unusable of [
    "a\r\nb",
    "a\u202eb",
    "x".repeat(256),
    "x".repeat(10_000_000),
    7,
    ["a"],
  ]) {
    const fields = { name: unusable, email: unusable, email_verified: true };
    assert.deepEqual(profileOf(fields), [[], undefined, 2]);
  }
  const ends = { ends_at: 9_000_000_000_000, password_hash: "$guest$" };
  assert.deepEqual(profileOf({ name: "Ada", email, ...ends }), [[], undefined, 0], "a guest");
});

test("takes the profile of an export in place of other fields, for the user of the line", () => {
  const profileOf = (fields: Fields) => {
    const imported = rowsOf(user({ ...fields, id: "7" }));
    return imported.profiles ?? [];
  };
  const own = { id: "8", name: "Ada", email: "Ada@example.org", verified_email: "eve@example.org" };
  const expected = [["7", "7", "Ada", "Ada@example.org", "ada@example.org", null]];
  for (const profiles of [own, [own], JSON.stringify([own])])
    assert.deepEqual(profileOf({ profiles, name: "Eve", email: "eve@example.org" }), expected);
  const unusable = { ...own, name: "a\nb", email: "x" };
  assert.deepEqual(profileOf({ profiles: [unusable] }), []);
  assert.match(String(read(user({ profiles: [own, own] }))), /more than one profile/);
});

test("takes an argon2 hash with the padding of base64", async () => {
  const [salt, digest] = ["MDEyMzQ1Njc4OWFiY2RlZg", "YUYNEsoUzPQpPJHskfTf6D5rjS7fHrjWzkepoQMelRA"];
  const padded = `$argon2id$v=19$m=65536,t=3,p=4$${salt}==$${digest}=`;
  const [row] = rowsOf(user({ password_hash: padded })).users ?? [];
  assert.equal(row?.[2], `$argon2id$v=19$m=65536,t=3,p=4$${salt}$${digest}`);
  assert.equal(await verify(String(row[2]), "secret pw"), true);
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
  const sessions = [
    SESSION,
    { ...SESSION, id, address: "::1", device: "curl", ended_at: 9, host: "app.test" },
  ];
  const answers = [{ id: "n", expires_at: 5 }];
  const passkeys = [PASSKEY, { ...PASSKEY, id: "l", used_at: 3 }];
  const owned = { sessions, answers, passkeys, codes: [CODES] };
  const texts = Object.entries(owned).map(([name, list]) => [name, JSON.stringify(list)] as const);
  for (const fields of [owned, Object.fromEntries(texts)]) {
    const { users: _, ...rows } = rowsOf(user({ id: "7", ...fields }));
    assert.deepEqual(rows, {
      sessions: [
        ["s", "7", 0, 1, AT, "", "", null, null],
        [id, "7", 0, 1, AT, "::1", "curl", 9, "app.test"],
      ],
      passkeys: [
        ["k", "7", "Phone", "a2V5", 0, 1, null],
        ["l", "7", "Phone", "a2V5", 0, 1, 3],
      ],
      answers: [["n", "7", 5]],
      codes: [["7", null, "sealed", 7, ",a,b,", 2, null]],
    });
  }
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
    assert.ok(typeof one === "object" && typeof other === "object");
    assert.match(one.id, /^[0-9a-f-]{36}$/);
    assert.notEqual(one.id, other.id);
    assert.deepEqual(one.rows, [
      { table: "users", rows: [[one.id, "owner", HASH, null, null, null]] },
    ]);
  });
}

test("takes groups as a list, or as a cell of CSV, and no name that cannot be one", () => {
  for (const groups of [["family", "a-1"], '["family","a-1"]', "family,a-1"]) {
    assert.equal(rowsOf(user({ groups })).users?.[0]?.[4], ",family,a-1,");
  }
  for (const groups of [[""], ["Family"], ["a b"], "a,,b", [7], "x".repeat(33)]) {
    assert.equal(typeof read(user({ groups })), "string", String(groups));
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

const NO_LIST = "recovery must be a list of texts without commas";
const owned: readonly (readonly [list: string, row: unknown, reason: string])[] = [
  ["sessions", { ...SESSION, id: "" }, "id is missing"],
  ["sessions", ["s", 0, 1], "one is not an object"],
  ["sessions", { ...SESSION, device: "é".repeat(128) }, "device is longer than 255 bytes"],
  ["passkeys", { ...PASSKEY, key: "\0" }, "key contains a NUL character"],
  ["codes", { ...CODES, recovery: 7 }, NO_LIST],
  ["codes", { ...CODES, recovery: ["a,b"] }, NO_LIST],
  ["codes", { ...CODES, wrong: -1 }, "wrong must be a whole number"],
  ...[-1, 1.5, 1e300, AT + 1, "x"].map((value) => {
    const row = { ...SESSION, used_at: value };
    return ["sessions", row, "used_at must be milliseconds since 1970"] as const;
  }),
];

const AS_EXPORTED = "must be as an export writes them";
const refused: readonly (readonly [Fields, string])[] = [
  [{}, "username is missing"],
  [user({ username: "" }), "username is missing"],
  [user({ username: null }), "username is missing"],
  [user({ username: 7 }), "username must be a string"],
  [user({ username: "ow\0ner" }), "username contains a NUL character"],
  [user({ username: "\ud83d" }), "username is not valid Unicode"],
  [user({ username: "é".repeat(1_301) }), "username is longer than 2600 bytes"],
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
  ...owned.map(
    ([list, row, reason]) =>
      [user({ [list]: [row] }), `${list} ${AS_EXPORTED}: ${reason}`] as const,
  ),
  ...[-1, 1.5, "1e3", "12x", "x12", true, [7]].map(
    (value) =>
      [user({ sessions_from: value }), "sessions_from must be seconds since 1970"] as const,
  ),
];
for (const [fields, reason] of refused) {
  const shown = JSON.stringify(fields).slice(0, 90);
  test(`refuses ${shown}: ${reason}`, () => {
    assert.equal(read(fields), reason);
  });
}

test("links accounts elsewhere by issuer and subject, whatever ID a line claims", () => {
  const google = { provider: "google", issuer: "https://accounts.google.com", subject: "104" };
  const id = toIdentityId(google.issuer, google.subject);
  for (const identities of [
    [google],
    google,
    JSON.stringify([google]),
    [{ ...google, id: toIdentityId("https://other.test", "1"), added_at: "" }],
  ]) {
    const { identities: rows } = rowsOf(user({ id: "7", identities }));
    assert.deepEqual(rows, [[id, "7", "google", google.issuer, "104", null, 0, null]]);
  }
});

test("a user who signs in with an account elsewhere needs no password", () => {
  const github = { provider: "github", issuer: "https://github.com", subject: "583231" };
  const { users = [] } = rowsOf({ username: "ada", id: "7", identities: [github] });
  assert.deepEqual(users[0]?.slice(0, 3), ["7", "ada", UNSET_PASSWORD]);
  assert.equal(read({ username: "ada", id: "7" }), "password_hash is missing");
});

test("refuses an account elsewhere without issuer or subject, and one that could look like another", () => {
  const google = { provider: "google", issuer: "https://accounts.google.com", subject: "104" };
  for (const [field, value] of [
    ["issuer", undefined],
    ["issuer", ""],
    ["subject", 104],
    ["subject", ""],
    ["subject", "1\n04"],
    ["issuer", "https://a.test\nhttps://b.test"],
    ["provider", undefined],
    ["subject", "x".repeat(2_000)],
  ] as const) {
    const line = read(user({ identities: [{ ...google, [field]: value }] }));
    assert.equal(typeof line, "string", `${field} ${value}`);
    assert.doesNotMatch(String(line), /104/);
  }
});
