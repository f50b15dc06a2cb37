import assert from "node:assert/strict";
import { test } from "node:test";
import { openPostgres } from "../src/db/postgres/store.ts";
import { openSqlite } from "../src/db/sqlite/store.ts";
import { type AuthOptions, createAuth } from "../src/index.ts";
import { locales } from "../src/pages/words.ts";
import { optionsWith } from "./support/options.ts";

const rejects = (options: object, message: string): void =>
  assert.throws(() => createAuth(optionsWith(options as Partial<AuthOptions>)), {
    name: "Fault",
    code: "invalid_option",
    message,
  });

/** Values that an option does not take, and how the message says what it takes. */
const invalid: readonly (readonly [place: string, takes: string, values: readonly unknown[]])[] = [
  ["previousSecrets", "secrets that are not empty", [[""], [5], "one secret", null]],
  [
    "postLoginLocation",
    "a path such as / or an absolute http or https URL",
    ["home", "", "//evil.example", "javascript:alert(1)", 5],
  ],
  ["log", "an object with the functions warn and error", [{}, { warn: () => {} }, null, 5]],
  ["setUpDomain", "a function", ["certbot", {}, null]],
  ["setupToken", "an object with the functions read and delete", ["token"]],
  ["homePath", "a path such as /me, or null", ["home", "", "//", "/:me", "/*", "/%61", "/a?b"]],
  [
    "basePath",
    "a path without a trailing slash, such as /auth",
    [
      ...["auth", "/", "/auth/", "//auth", "/a//b", "/a b", "/a?b", "/a#b", "/a%2fb", "/*", "/:id"],
      ...["/a\n", "/..", "/.", "/a/../b", "/a/."],
    ],
  ],
  [
    "hosts.trustedOrigins",
    "origins such as https://app.example.org, without a path",
    [
      ...[["app.example.org"], ["https://app.example.org/"], ["https://app.example.org", "*"]],
      ...[["null"], ["HTTPS://app.example.org"], ["https://app.example.org:443"], "https://a.test"],
    ],
  ],
  [
    "hosts.allowed",
    "loopback-setup, or a list of host names without a port, or of * for any",
    [[], ["a.test:3000"], ["https://a.test"], ["*.a.test"], [""], ["a b"], "a.test", null],
  ],
  [
    "hosts.trustedProxies",
    "IP addresses or ranges such as 10.0.0.0/8",
    [["10.0.0.0/33"], ["proxy"], ["10.0.0.1", ""], "10.0.0.1"],
  ],
  [
    "hosts.publicUrl",
    "an origin such as https://auth.example.org, without a path",
    [
      ...["auth.example.org", "", "null", "/", "//auth.example.org", "ftp://auth.example.org"],
      ...["https://", "https://auth.example.org/", "https://auth.example.org/auth"],
      ...["https://auth.example.org?a", "https://auth.example.org:443", "HTTPS://auth.example.org"],
      ...["https://Auth.example.org", "https://u@auth.example.org", " https://auth.example.org"],
      ...["https://bücher.example", null],
    ],
  ],
  [
    "hosts.cookieDomain",
    "a domain such as example.org, in lower case and without a port",
    ["localhost", "example.org; Secure"],
  ],
  ["guards.returnTo", "true or false", ["false", 0]],
  ["guards.onDenied", "redirect or negotiate", ["", "json", "Redirect"]],
  ["signIn.limiter", "own or shared", ["none"]],
  ["signIn.limitIpv6Prefix", "a whole number from 32 to 128", [31, 129, 64.5, Number.NaN]],
  [
    "signIn.hashing",
    "atOnce of 1 or more and waiting of 0 or more",
    [
      ...[{ atOnce: 0, waiting: 1 }, { atOnce: 1, waiting: -1 }, true],
      ...[
        { atOnce: Number.NaN, waiting: 1 },
        { atOnce: 1, waiting: Number.NaN },
      ],
    ],
  ],
  [
    "pages.appName",
    "one line of 1 to 60 characters",
    ["", " \t", "x".repeat(61), "a\nb", "a\u0000"],
  ],
  ["pages.accentColor", "a color such as #1a5fb4", ["#abc;}"]],
  ["pages.locale", locales.join(", "), ["", "hu", "EN", "pt", "de-AT", "toString"]],
  ["pages.css", "CSS of at most 65536 bytes", [true, "x".repeat(65_537), "é".repeat(32_769)]],
  ...["login", "setup", "link", "profile", "people", "activity", "error"].map(
    (name) => [`pages.${name}`, "a function that returns HTML", ["<p>", {}, null]] as const,
  ),
  [
    "sessions.lifetime",
    "a whole number of seconds from 60 to 100000000000",
    [59, 60.5, "60", 1e12],
  ],
];

for (const [place, takes, values] of invalid) {
  test(`createAuth rejects invalid values of ${place} and says what it accepts`, () => {
    const [group = "", name] = place.split(".");
    for (const value of values) {
      const options = { [group]: name === undefined ? value : { [name]: value } };
      rejects(options, `${place} is invalid: expected ${takes}`);
    }
  });
}

const A_STORE = "expected a store, such as that of await openSqlite({ file })";

for (const [options, message] of [
  [undefined, "createAuth takes an object with store and secret"],
  [{}, `store is invalid: ${A_STORE}`],
  [{ store: "accounts.db" }, `store is invalid: ${A_STORE}`],
  [{ store: { users: {} } }, `store is invalid: ${A_STORE}`],
  [{ store: Promise.resolve() }, `store is a promise: ${A_STORE}`],
  [optionsWith({ secret: Buffer.alloc(32) as never }), "secret is invalid: expected text"],
] as const) {
  test(`createAuth says what is missing to callers in plain JavaScript: ${message}`, () =>
    assert.throws(() => createAuth(options as AuthOptions), { code: "invalid_option", message }));
}

const SQLITE = 'openSqlite takes { file }, such as { file: "accounts.db" }';
const POSTGRES = "openPostgres takes an object with url, or with pool";
const missing = "missing is invalid: expected create or refuse";

for (const [open, options, message] of [
  [openSqlite, "accounts.db", SQLITE],
  [openSqlite, { file: "" }, "file is invalid: expected a path such as accounts.db"],
  [openSqlite, { files: "accounts.db" }, "files is not an option: did you mean file?"],
  [openSqlite, { file: ":memory:", missing: "fail" }, missing],
  [openPostgres, "postgres://localhost/accounts", POSTGRES],
  [openPostgres, {}, POSTGRES],
  [openPostgres, { pool: {} }, "pool is invalid: expected a pool of the package pg"],
  [openPostgres, { url: "postgres://localhost/accounts", missing: true }, missing],
] as const) {
  test(`${open.name} says what it accepts: ${message}`, () =>
    assert.rejects(open(options as never), { code: "invalid_option", message }));
}

test("createAuth rejects a public suffix as a cookie domain, and says why", () => {
  const problem = "co.uk is a public suffix, below which others can get host names";
  const expected = "expected a domain of your own, such as example.co.uk";
  const message = `hosts.cookieDomain is invalid: ${problem}; ${expected}`;
  rejects({ hosts: { cookieDomain: "co.uk" } }, message);
});

for (const [options, problem] of [
  [{ publicUrl: undefined }, "publicUrl is not an option: did you mean hosts.publicUrl?"],
  [{ signIn: { limitter: "" } }, "signIn.limitter is not an option: did you mean signIn.limiter?"],
  [{ pages: { logon: () => "" } }, "pages.logon is not an option: did you mean pages.login?"],
] as const) {
  test(`createAuth rejects a name that is not an option: ${problem}`, () =>
    rejects(options, problem));
}
