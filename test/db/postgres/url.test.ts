import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type PostgresHost,
  type PostgresLogin,
  parsePostgresUrl,
} from "../../../src/db/postgres/url.ts";
import { faultOf } from "../../support/faults.ts";

const one = (host: string, port = 5432): readonly PostgresHost[] => [{ host, port }];

const hostsOf = {
  "postgres://h/d": one("h"),
  "postgresql://h/d": one("h"),
  "postgres://u:p@h.example.org:6432/d": one("h.example.org", 6432),
  "postgres://h": one("h"),
  "postgres://u@/d": one("localhost"),
  "postgres://u@10.0.0.1:1/d": one("10.0.0.1", 1),
  "postgres://u@[::1]/d": one("::1"),
  "postgres://u@[2001:db8::7]:65535/d": one("2001:db8::7", 65_535),
  "postgres://u@a,b:2,[::1]:3/d": [...one("a"), ...one("b", 2), ...one("::1", 3)],
  "postgres://u@%2Frun%2Fpostgresql/d": one("/run/postgresql"),
  "postgres://u@%2Frun%2Fpostgresql:5433/d": one("/run/postgresql", 5433),
  "postgres:///d?host=/run/postgresql": one("/run/postgresql"),
  "postgres:///d?host=/run/postgresql&port=5433": one("/run/postgresql", 5433),
  "postgres:///d?host=a,b&port=1,2": [...one("a", 1), ...one("b", 2)],
  "postgres://u@h/d?options=x@other": one("h"),
  "postgres:///d?host=a,b&port=7": [...one("a", 7), ...one("b", 7)],
} as const;

for (const [url, hosts] of Object.entries(hostsOf)) {
  test(`${url} names ${hosts.map(({ host, port }) => `${host} ${port}`).join(", ")}`, () => {
    assert.deepEqual(parsePostgresUrl(url).hosts, hosts);
  });
}

const loginOf: Readonly<Record<string, Partial<PostgresLogin>>> = {
  "postgres://u:p@h/d": { user: "u", password: "p", database: "d" },
  "postgres://h/d": { user: undefined, password: undefined, database: "d" },
  "postgres://u:p%40%3A%2F%3F%23%25@h/d": { password: "p@:/?#%" },
  "postgres://u%40corp:p@h/d": { user: "u@corp" },
  "postgres://u:p%C3%A4ss%20word@h/d": { password: "päss word" },
  "postgres://u:p@ss@h/d": { user: "u", password: "p@ss" },
  "postgres://u:p@h/a%20b": { database: "a b" },
  "postgres://h/d?user=me&password=s%26t&dbname=other": {
    user: "me",
    password: "s&t",
    database: "other",
  },
  "postgres://h/d?options=-c%20search_path%3Dlatchkey": { options: "-c search_path=latchkey" },
  "postgres://h/d?user=me%40corp": { user: "me@corp", database: "d" },
  "postgres://h/d?sslmode=disable": { ssl: false },
  "postgres://h/d?sslmode=require": { ssl: {} },
  "postgres://h/d?sslmode=verify-ca": { ssl: {} },
  "postgres://h/d?sslmode=verify-full": { ssl: {} },
  "postgres://h/d?sslmode=no-verify": { ssl: { rejectUnauthorized: false } },
  "postgres://h/d?": { enableChannelBinding: false },
  "postgres://h/d?channel_binding=disable": { enableChannelBinding: false },
  "postgres://h/d?channel_binding=prefer": { enableChannelBinding: true },
};

for (const [url, expected] of Object.entries(loginOf)) {
  test(`${url} means ${JSON.stringify(expected)}`, () => {
    const { login } = parsePostgresUrl(url);
    for (const [name, value] of Object.entries(expected)) {
      assert.deepEqual(login[name as keyof PostgresLogin], value, name);
    }
  });
}

const SECRET = "s3cret";

const refused: Readonly<Record<string, string>> = {
  "another scheme": `mysql://u:${SECRET}@h/d`,
  "no URL": SECRET,
  "a host that was forgotten": `postgres://u:${SECRET}`,
  "a host that was forgotten before a database": `postgres://u:${SECRET}/d`,
  "a slash in the password": `postgres://u:${SECRET}/1@h/d`,
  "a slash in a password that begins like a port": `postgres://u:12/${SECRET}@h/d`,
  "a question mark in the password": `postgres://u:12?${SECRET}@h/d`,
  "a hash in the password": `postgres://u:12#${SECRET}@h/d`,
  "a fragment": `postgres://u:${SECRET}@h/d#x`,
  "an IPv6 address without brackets": `postgres://u:${SECRET}@::1/d`,
  "one of several hosts empty": `postgres://u:${SECRET}@h,/d`,
  "a host that cannot be decoded": `postgres://u:${SECRET}@%zz/d`,
  "port 0": `postgres://u:${SECRET}@h:0/d`,
  "a port too high": `postgres://u:${SECRET}@h:65536/d`,
  "a port that is a word": `postgres://u:${SECRET}@h:x/d`,
  "a second port that is the password": `postgres://u:x@h:1,h:${SECRET}/d`,
  "an unknown parameter": `postgres://u:${SECRET}@h/d?application_name=x`,
  "a misspelt sslmode": `postgres://u:${SECRET}@h/d?sslmod=require`,
  "the password as a parameter's name": `postgres://u@h/d?${SECRET}=x`,
  "sslmode=prefer, which does not insist": `postgres://u:${SECRET}@h/d?sslmode=prefer`,
  "sslmode=allow, which does not insist": `postgres://u:${SECRET}@h/d?sslmode=allow`,
  "an sslmode that does not exist": `postgres://u:${SECRET}@h/d?sslmode=${SECRET}`,
  "an empty sslmode": `postgres://u:${SECRET}@h/d?sslmode=`,
  "two modes of which one would win": `postgres://u:${SECRET}@h/d?sslmode=verify-full&sslmode=no-verify`,
  "a binding that the driver does not insist on": `postgres://u:${SECRET}@h/d?sslmode=verify-full&channel_binding=require`,
  "a root certificate that is not there": `postgres://u:${SECRET}@h/d?sslrootcert=/nowhere`,
  "ssl=true, whose meaning differs": `postgres://u:${SECRET}@h/d?ssl=true`,
};

for (const [what, url] of Object.entries(refused)) {
  test(`refuses ${what} without showing the password`, () => {
    const { code, message } = faultOf(() => parsePostgresUrl(url));
    assert.equal(code, "database_url_invalid");
    assert.match(message, /^invalid database URL: [^\n]+$/);
    assert.ok(!message.includes(SECRET), message);
  });
}

for (const [query, reason] of [
  ["sslmode=prefer", /: sslmode accepts disable, require, verify-ca, verify-full, no-verify$/],
  ["channel_binding=require", /: channel_binding accepts disable, prefer$/],
] as const) {
  test(`explains why ${query} is refused`, () => {
    assert.match(faultOf(() => parsePostgresUrl(`postgres://h/d?${query}`)).message, reason);
  });
}
