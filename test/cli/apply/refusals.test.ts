import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "yaml";
import { failureOf, runCommand } from "../../support/command.ts";
import { hashText } from "../../support/store.ts";
import { openAccess } from "./access-file.ts";

const SCHEMA = new URL("../../../docs/reference/apply.schema.json", import.meta.url);
const accepts = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false }).compile(
  JSON.parse(readFileSync(SCHEMA, "utf8")),
);

const NOTHING_CHANGED = (count: number): string =>
  `latchkey: nothing was changed: ${count} problem${count === 1 ? "" : "s"}`;

test("reports all problems of a file at once, with line and place, and changes nothing", async (t) => {
  const { refuse, accounts, write, store, folder } = await openAccess(t, undefined, "owner");
  await write("short", "secret");
  await write("good", "s".repeat(32));
  const { code, stdout, lines } = await refuse(`user: []
users:
  - username: anna
    group: [family]
  - username: anna
    groups: [Family]
  - username: 7
  - username: ben
    email: nowhere
    emailVerified: "yes"
  - groups: family
  - { username: a, email: x@a.test, emailVerified: true }
  - { username: b, email: X@a.test, emailVerified: true }
  - { username: c, name: "\\e[2J" }
  - text
apps:
  - id: Photos
  - id: a
  - { id: b, recipe: imich, url: "https://a.test" }
  - { id: c, recipe: immich }
  - { id: d, way: oidc, name: D }
  - { id: e, recipe: immich, way: proxy, url: "https://a.test" }
  - id: f
    name: F
    state: paused
    factors: 3
    redirects:
      - https://a.test/
      - javascript:1
  - id: g
    name: " "
    secretFile: missing
  - { id: g, name: G, secretFile: short }
  - { id: h, name: H, upstream: "http://a/b", secretFile: . }
  - { id: i, name: I, redirects: ["https://a.test/"], secretFile: good }
  - { id: j, name: J, redirects: ["https://a.test/"], secretFile: ./good }
`);
  assert.deepEqual([code, stdout], [1, ""]);
  assert.deepEqual(lines, [
    "1: user: unknown field. Did you mean users?",
    "4: users[0].group: unknown field. Did you mean groups?",
    "5: users[1].username: users[0] has it already",
    "6: users[1].groups: a user has up to 32 groups of lower-case letters, digits and hyphens",
    "7: users[2].username: this must be a text; put a number in quotes",
    '9: users[3].email: the address "nowhere" is not accepted: write one such as alice@example.org, with at most 254 characters',
    "10: users[3].emailVerified: this must be true or false",
    "11: users[4].groups: this must be a list of texts; an empty one is []",
    "11: users[4].username: a user needs a name",
    "13: users[6].email: users[5] has it already",
    '14: users[7].name: the name "\\u{1b}[2J" is not accepted: it has at most 255 bytes and no control characters',
    "15: users[8]: this must have fields, such as username",
    "17: apps[0].id: an ID has up to 63 lower-case letters, digits and hyphens, such as photos, but is not the word new",
    "18: apps[1]: an app needs a name, or a recipe",
    '19: apps[2].recipe: there is no recipe "imich". Did you mean "immich"? latchkey app recipes lists them',
    "20: apps[3].recipe: an app with a recipe needs a url, at which people open it",
    "21: apps[4].way: this is for an app with a recipe",
    '22: apps[5].recipe: Immich has no way "proxy": the recipe has oidc',
    "25: apps[6].state: this must be on or off",
    "26: apps[6].factors: this must be 1 or 2",
    '27: apps[6].redirects: the redirect URI "javascript:1" has a scheme that browsers open themselves: write https, such as https://photos.example.org/auth/callback',
    "31: apps[7].name: an app needs a name",
    `32: apps[7].secretFile: cannot read the secret ${folder}/missing: no such file or folder`,
    `33: apps[8].secretFile: "${folder}/short" must contain a secret of 32 to 255 letters, digits, hyphens, dots, underscores and tildes; latchkey secret prints one`,
    "33: apps[8].id: apps[7] has it already",
    '34: apps[9].upstream: the upstream "http://a/b" continues after the host and port: write only scheme, host and port, such as http://127.0.0.1:3000',
    `34: apps[9].secretFile: "${folder}" is not a regular file`,
    "36: apps[11].secretFile: apps[10] has it already",
    NOTHING_CHANGED(28),
    "",
  ]);
  assert.deepEqual(Object.keys(await accounts()), ["owner"]);
  assert.deepEqual(await store.apps.list(), []);
});

test("reports what the database does not permit, before the first change", async (t) => {
  const { refuse, store, entries, write } = await openAccess(t, undefined, "owner", "anna");
  const endsAt = new Date(Date.now() + 3_600_000);
  await store.users.insert({ username: "sitter", passwordHash: hashText("$guest$"), endsAt });
  const createdAt = new Date(0);
  await store.apps.insert({ id: "wiki", name: "Wiki", createdAt });
  await write("secret", "s".repeat(32));
  const { code, lines } = await refuse(`users:
  - username: ben
  - username: ANNA
  - username: sitter
  - username: owner
    emailVerified: true
  - username: "ben\\u202e"
  - username: BEN
apps:
  - { id: wiki, name: Wiki, clientType: confidential }
  - { id: new-one, name: New, backchannelUrl: "https://a.test/" }
  - { id: plain, name: Plain, secretFile: secret }
`);
  assert.equal(code, 1);
  const [first = "", ...others] = lines;
  assert.match(
    first,
    /^3: users\[1\]\.username: "ANNA" was the name of another user, or is too similar/,
  );
  assert.deepEqual(others, [
    '4: users[2].username: "sitter" is a guest: choose another username',
    "6: users[3].emailVerified: there is no address to be verified: add email",
    "7: users[4].username: a username has up to 255 bytes, no space at its ends, no control or invisible characters, and letters of one script",
    '8: users[5].username: "BEN" was the name of another user, or is too similar to one: apps could take the new user for the other one. Choose another name, or free this one with latchkey user forget-name',
    "10: apps[0].redirects: an app with a client secret needs a redirect URI, to which a sign-in returns: add one such as https://photos.example.org/auth/callback",
    "11: apps[1].clientType: only an app that signs in with OpenID Connect can have a back-channel URL: add a redirect URI, or make the app a public client",
    "12: apps[2].secretFile: only an app with redirects that is not public has a secret",
    NOTHING_CHANGED(8),
    "",
  ]);
  assert.deepEqual(await entries(), []);
});

test("repeats a value by its anchor, also a thousand times", async (t) => {
  const { run } = await openAccess(t, undefined, "owner");
  const others = Array.from(
    { length: 1_000 },
    (_, at) => `  - { username: u${at}, groups: *all }\n`,
  );
  const { code, stdout } = await run(
    `users:\n  - { username: owner, groups: &all [family] }\n${others.join("")}`,
    "--dry-run",
  );
  assert.equal(code, 0);
  assert.match(stdout, /^would create user "u999" in family$/m);
  assert.match(stdout, /^Would make 1001 changes\.$/m);
});

test("describes an account whose name no new one could have", async (t) => {
  const { apply } = await openAccess(t, undefined, "owner", "ben\u202e", " x ");
  const names = ["owner", "ben\u202e", " x "].map((username) => ({ username, groups: ["family"] }));
  const lines = await apply(JSON.stringify({ users: names }));
  assert.equal(lines.at(-1), "Made 3 changes.");
});

/** Files that cannot be read as a whole, with the problem. */
const broken: readonly (readonly [what: string, content: string | Uint8Array, problem: RegExp])[] =
  [
    ["an empty file", "", /^1: the file must have users or apps$/],
    ["a file of comments", "# users:\n", /^1: the file must have users or apps$/],
    ["a text", "users", /^1: the file must have users or apps$/],
    ["a list", "- users", /^1: the file must have users or apps$/],
    [
      "a section without a list",
      "users:\n",
      /^1: users: this must be a list; an empty one is \[\]$/,
    ],
    [
      "bytes that are not UTF-8",
      Buffer.from("users: [\xff]", "latin1"),
      /^1: the file is not UTF-8$/,
    ],
    ["invalid YAML", "users:\n  - a: [\n", /^3: /],
    ["a field that is given twice", "users: []\nusers: []\n", /^2: Map keys must be unique$/],
    [
      "several documents",
      "users: []\n---\nusers: []\n",
      /^2: the file has several documents: write one$/,
    ],
    ["a tag", "users: !run []\n", /^1: Unresolved tag: !run$/],
    [
      "aliases that multiply",
      `users:\n  - &a { username: a }\n  - &b [${"*a, ".repeat(20)}]\n  - &c [${"*b, ".repeat(20)}]\n  - &d [${"*c, ".repeat(20)}]\n  - [${"*d, ".repeat(20)}]\n`,
      /^1: Excessive alias count/,
    ],
    ["an alias of itself", "users: &a [*a]\n", /^1: users\[0\]: this must have fields/],
    ["the name of a prototype", '{"__proto__": 1, "users": []}', /^1: __proto__: unknown field$/],
  ];
for (const [what, content, problem] of broken) {
  test(`refuses ${what}`, async (t) => {
    const { refuse } = await openAccess(t, undefined, "owner");
    const { code, stdout, lines } = await refuse(content);
    assert.deepEqual([code, stdout, lines.length], [1, "", 3], lines.join("\n"));
    assert.match(lines[0] ?? "", problem);
  });
}

test("reads a file with a byte order mark, through links, and no other kind of file", async (t) => {
  const { apply, folder, env, write } = await openAccess(t, undefined, "owner");
  assert.deepEqual(await apply("\ufeffusers: []\r\n"), ["Nothing to change."]);
  await mkdir(join(folder, "folder"));
  await symlink("access.yaml", join(folder, "link"));
  assert.equal((await runCommand(["apply", join(folder, "link")], { env })).code, 0);
  execFileSync("mkfifo", [join(folder, "pipe")]);
  await write("large", " ".repeat(1_048_577));
  for (const [name, reason] of [
    ["folder", /is not a regular file: pass it to standard input, as -$/],
    ["pipe", /is not a regular file/],
    ["large", /is larger than 1 MiB$/],
    ["missing", /^cannot read .*missing: no such file or folder$/],
  ] as const)
    assert.match(await failureOf(["apply", join(folder, name)], { env }), reason);
  const input = " ".repeat(1_048_577);
  assert.match(await failureOf(["apply", "-"], { env, input }), /standard input is larger/);
  assert.match(await failureOf(["apply"], { env }, 2), /^apply takes FILE/);
});

/** Files for the schema, and whether both it and the command accept them. */
const samples: readonly (readonly [verdict: "valid" | "invalid", content: string])[] = [
  ["valid", "{ $schema: ./apply.schema.json, users: [], apps: [] }"],
  [
    "valid",
    "users: [{ username: a, groups: [b], name: '', email: a@b.test, emailVerified: false }]",
  ],
  ["valid", "apps: [{ id: a, recipe: immich, way: oidc, url: 'https://a.test', state: off }]"],
  [
    "valid",
    "apps: [{ id: a, name: A, section: S, upstream: 'http://a:1', groups: [], factors: 2, clientType: public, redirects: ['https://a.test/'], signOutRedirects: [], backchannelUrl: '', consent: ask, signing: ES256 }]",
  ],
  ["invalid", "{}"],
  ["invalid", "[]"],
  ["invalid", "{ users: [], other: 1 }"],
  ["invalid", "users: {}"],
  ["invalid", "users: [{ username: a, password: b }]"],
  ["invalid", "users: [{ username: 1 }]"],
  ["invalid", "users: [{ name: a }]"],
  ["invalid", "users: [{ username: a, groups: b }]"],
  ["invalid", "users: [{ username: a, emailVerified: 'true' }]"],
  ["invalid", "apps: [{ name: A }]"],
  ["invalid", "apps: [{ id: a }]"],
  ["invalid", "apps: [{ id: a, recipe: immich }]"],
  ["invalid", "apps: [{ id: a, name: A, way: oidc }]"],
  ["invalid", "apps: [{ id: a, name: A, factors: '2' }]"],
  ["invalid", "apps: [{ id: a, name: A, state: false }]"],
  ["invalid", "apps: [{ id: a, name: A, secret: x }]"],
];
for (const [verdict, content] of samples) {
  test(`the schema and the command agree that this is ${verdict}: ${content}`, async (t) => {
    assert.equal(accepts(parse(content)), verdict === "valid", JSON.stringify(accepts.errors));
    const { run } = await openAccess(t, undefined, "owner");
    const { code, stderr } = await run(content, "--dry-run");
    assert.equal(code, verdict === "valid" ? 0 : 1, stderr);
  });
}
