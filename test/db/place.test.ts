import assert from "node:assert/strict";
import { resolve } from "node:path";
import { test } from "node:test";
import { parseDatabaseLocation } from "../../src/db/location.ts";
import { faultOf } from "../support/faults.ts";

const files: readonly (readonly [text: string, file: string])[] = [
  ["sqlite:accounts.db", resolve("accounts.db")],
  ["sqlite:./data/accounts.db", resolve("data/accounts.db")],
  ["sqlite:../accounts.db", resolve("../accounts.db")],
  ["sqlite:/srv/accounts.db", "/srv/accounts.db"],
  ["sqlite:///srv/accounts.db", "/srv/accounts.db"],
  ["sqlite:./:memory:", resolve(":memory:")],
  ["sqlite:a b%41?mode=ro#c.db", resolve("a b%41?mode=ro#c.db")],
  ["sqlite:one\ntwo.db", resolve("one\ntwo.db")],
];
for (const [text, file] of files) {
  test(`reads ${JSON.stringify(text)} as the file ${JSON.stringify(file)}`, () => {
    assert.deepEqual(parseDatabaseLocation(text), { kind: "sqlite", file });
  });
}

test("reads a PostgreSQL URL as it is", () => {
  for (const url of [
    "postgres://db/accounts",
    "postgresql://me@db:5433/accounts?sslmode=require",
  ]) {
    assert.deepEqual(parseDatabaseLocation(url), { kind: "postgres", url });
  }
});

const bad: readonly (readonly [text: string, about: RegExp])[] = [
  ["sqlite:", /sqlite: takes a path, as in sqlite:data\/accounts\.db/],
  ["sqlite://", /takes a path/],
  ["sqlite://hunter2/accounts.db", /takes a path/],
  ["sqlite::memory:", /takes a path/],
  ["", /must start with postgres:\/\/ or sqlite:$/],
  ["hunter2.db", /must start with/],
  ["file:hunter2.db", /must start with/],
  ["sqlite3:hunter2.db", /must start with/],
  ["postgres:hunter2", /must start with/],
  ["mysql://me:hunter2@db/accounts", /must start with/],
  ["postgres://me:hunter2@db:99999/accounts", /a port must be/],
];
for (const [text, about] of bad) {
  test(`refuses ${JSON.stringify(text)} without repeating it`, () => {
    const { code, message } = faultOf(() => parseDatabaseLocation(text));
    assert.equal(code, "database_url_invalid");
    assert.match(message, /^invalid database URL: [^\n]+$/);
    assert.match(message, about);
    assert.doesNotMatch(message, /hunter2/);
  });
}
