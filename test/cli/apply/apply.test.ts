import assert from "node:assert/strict";
import { readFile, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { UNSET_PASSWORD } from "../../../src/db/records.ts";
import { digestText } from "../../../src/lib/random-text.ts";
import { outputOf, runCommand } from "../../support/command.ts";
import { hashText, newFile } from "../../support/store.ts";
import { places } from "../user/either.ts";
import { openAccess } from "./access-file.ts";

const HOUSEHOLD = `
users:
  - username: owner
    groups: [admins]
  - username: anna
    groups: [friends, family]
    name: Anna Example
    email: anna@example.org
    emailVerified: true
  - username: ben
apps:
  - id: photos
    recipe: immich
    url: https://photos.example.org
    groups: [family]
  - id: wiki
    name: Wiki
    url: https://wiki.example.org
    factors: 2
`;

const NO_PASSWORD_LINE =
  /2 new users have no password yet: latchkey link reset NAME prints a link to choose one/;

for (const [kind, open] of Object.entries(places)) {
  test(`${kind}: makes users and apps as the file says, and changes nothing the second time`, async (t) => {
    const { run, apply, accounts, entries, store, file, env } = await openAccess(t, open, "owner");
    const dry = await run(HOUSEHOLD, "--dry-run");
    assert.deepEqual(dry, {
      code: 0,
      stderr: "",
      stdout: `would change user "owner": groups none → admins
would create user "anna" in family, friends
would create user "ben"
would create app "photos"
would create app "wiki"
Would make 5 changes.
`,
    });
    assert.deepEqual(Object.keys(await accounts()), ["owner"]);
    assert.deepEqual(await entries(), []);

    const { code, stdout, stderr } = await run(HOUSEHOLD);
    assert.equal(code, 0);
    assert.match(stderr, NO_PASSWORD_LINE);
    const [, secret = ""] = /^created app "photos"; .*: (\S+)$/m.exec(stdout) ?? [];
    assert.deepEqual(stdout.replace(secret, "SECRET").trimEnd().split("\n"), [
      'changed user "owner": groups none → admins',
      'created user "anna" in family, friends',
      'created user "ben"',
      'created app "photos"; its client secret, which is not shown again: SECRET',
      'created app "wiki"',
      "Made 5 changes.",
    ]);
    const [stored, ...others] = await store.apps.listSecrets("photos");
    assert.deepEqual([stored?.hash, others], [digestText(secret), []]);
    assert.partialDeepStrictEqual(await accounts(), {
      owner: { groups: ["admins"], passwordHash: hashText("hash of owner") },
      anna: {
        groups: ["family", "friends"],
        passwordHash: UNSET_PASSWORD,
        profile: { name: "Anna Example", verifiedEmail: "anna@example.org" },
      },
    });
    assert.partialDeepStrictEqual(await store.apps.find("wiki"), { name: "Wiki", factors: 2 });
    assert.partialDeepStrictEqual(await store.apps.find("photos"), {
      name: "Immich",
      section: "Media",
      clientType: "confidential",
    });
    const before = await entries();
    assert.deepEqual(before, [
      "cli user_groups: Set the groups of owner",
      "cli user_add: Added account anna",
      "cli user_profile: Set the name or the e-mail address of anna",
      "cli user_add: Added account ben",
      "cli app_add: Added the app photos",
      "cli app_secret: Made a secret of the app photos",
      "cli app_add: Added the app wiki",
    ]);

    assert.deepEqual(await apply(HOUSEHOLD), ["Nothing to change."]);
    assert.deepEqual(await apply(HOUSEHOLD, "--dry-run", "--prune"), ["Nothing to change."]);
    const json = JSON.stringify({ users: [{ username: "ben", groups: [] }], apps: [] }, null, 1);
    assert.deepEqual(await apply(json), ["Nothing to change."]);
    assert.deepEqual(await entries(), before);
    const input = await readFile(file);
    assert.equal(await outputOf(["apply", "-"], { env, input }), "Nothing to change.\n");
  });

  test(`${kind}: changes what the file names, and keeps what it leaves out`, async (t) => {
    const { apply, accounts, store } = await openAccess(t, open, "owner");
    await store.users.setGroups((await accounts()).owner?.id ?? assert.fail(), ["admins"]);
    await apply(
      HOUSEHOLD.replace("recipe: immich", "name: Photos\n    redirects: [com.example:/a]"),
    );
    assert.deepEqual(
      await apply(`
users:
  - { username: anna, groups: [family], email: anna@example.net }
  - { username: ben, name: Ben, groups: [] }
apps:
  - { id: photos, name: Pictures, groups: [], redirects: ["com.example:/b", "com.example:/a"] }
  - { id: wiki, name: Wiki, state: off, section: "" }
`),
      [
        'changed user "anna": groups family, friends → family',
        'changed user "anna": email anna@example.org (verified) → anna@example.net (unverified)',
        'changed user "ben": name none → Ben',
        'changed app "photos": name Photos → Pictures; groups family → none; redirects com.example:/a → com.example:/b, com.example:/a',
        'changed app "wiki": state on → off',
        "Made 5 changes.",
      ],
    );
    const anna = await store.users.findByName("anna");
    assert.deepEqual(anna?.profile, { name: "Anna Example", email: "anna@example.net" });
    assert.partialDeepStrictEqual(await store.apps.find("wiki"), {
      url: "https://wiki.example.org",
      factors: 2,
      off: 1,
    });
    assert.deepEqual(await apply("apps: [{ id: photos, name: Pictures, redirects: [] }]"), [
      'changed app "photos": clientType confidential → none; redirects com.example:/b, com.example:/a → none',
      "Made 1 change.",
    ]);
    assert.deepEqual(await store.apps.listSecrets("photos"), []);
  });

  test(`${kind}: several commands at once make what the file says, once`, async (t) => {
    const { run, write, accounts, store, env, file } = await openAccess(t, open, "owner");
    await write("wiki.secret", `${"s".repeat(40)}\n`);
    const content = `${HOUSEHOLD}
    redirects: [https://wiki.example.org/cb]
    secretFile: wiki.secret
`;
    await write("access.yaml", content);
    const all = await Promise.all([1, 2, 3].map(() => runCommand(["apply", file], { env })));
    assert.deepEqual(
      all.map(({ code }) => code),
      [0, 0, 0],
      all.map((one) => one.stderr).join(""),
    );
    assert.deepEqual(Object.keys(await accounts()).toSorted(), ["anna", "ben", "owner"]);
    const secrets = await store.apps.listSecrets("wiki");
    assert.deepEqual(
      secrets.map(({ hash }) => hash),
      [digestText("s".repeat(40))],
    );
    const printed = all.flatMap(({ stdout }) => [...stdout.matchAll(/not shown again: (\S+)/g)]);
    const known = (await store.apps.listSecrets("photos")).map(({ hash }) => hash);
    assert.deepEqual(
      printed.map(([, secret = ""]) => digestText(secret)),
      known,
    );
    assert.equal((await run(content)).stdout, "Nothing to change.\n");
  });

  test(`${kind}: completes what an earlier run has begun`, async (t) => {
    const { apply, run, store } = await openAccess(t, open, "owner");
    await store.users.insert({ username: "anna", passwordHash: UNSET_PASSWORD });
    await store.apps.insert({
      createdAt: new Date(0),
      id: "photos",
      name: "Photos",
      clientType: "confidential",
      redirects: "https://a.test/",
    });
    const content = `
users:
  - { username: anna, name: Anna }
apps:
  - { id: photos, name: Photos, redirects: ["https://a.test/"] }
`;
    assert.match(
      (await run(content, "--dry-run")).stdout,
      /^would change app "photos": secret none → new$/m,
    );
    const [user, app, ...rest] = await apply(content);
    assert.equal(user, 'changed user "anna": name none → Anna');
    assert.match(
      app ?? "",
      /^changed app "photos": secret none → new; its client secret, .*: [\w-]{43}$/,
    );
    assert.deepEqual(rest, ["Made 2 changes."]);
    assert.deepEqual(await apply(content), ["Nothing to change."]);
  });

  test(`${kind}: --prune removes what the file does not name, except guests`, async (t) => {
    const { apply, accounts, store, refuse } = await openAccess(t, open, "owner", "anna", "ben");
    const endsAt = new Date(Date.now() + 3_600_000);
    await store.users.insert({ username: "cat sitter", passwordHash: hashText("$guest$"), endsAt });
    for (const id of ["photos", "wiki"])
      await store.apps.insert({ createdAt: new Date(0), id, name: id });
    const content = "users:\n  - { username: owner, groups: [admins] }\n  - username: anna\n";
    assert.deepEqual(await apply(content, "--dry-run"), [
      'would change user "owner": groups none → admins',
      'not in the file: user "ben"',
      "Would make 1 change.",
    ]);
    assert.deepEqual(await apply(content, "--prune"), [
      'changed user "owner": groups none → admins',
      'removed user "ben"',
      "Made 2 changes.",
    ]);
    assert.deepEqual(Object.keys(await accounts()).toSorted(), ["anna", "cat sitter", "owner"]);
    assert.equal((await store.apps.list()).length, 2, "the file has no section for apps");
    const apps = "apps: [{ id: wiki, name: wiki }]";
    assert.deepEqual(await apply(apps, "--dry-run"), [
      'not in the file: app "photos"',
      "Nothing to change.",
    ]);
    assert.deepEqual(await apply(apps, "--prune"), ['removed app "photos"', "Made 1 change."]);

    for (const users of ["[]", "[{ username: anna }]", "[{ username: owner, groups: [] }]"]) {
      const { code, lines } = await refuse(`users: ${users}`, "--prune");
      assert.equal(code, 1);
      assert.match(lines[0] ?? "", /^1: users: --prune needs a user of the group admins here/);
    }
    assert.equal(Object.keys(await accounts()).length, 3);
  });
}

test("never takes the last administrator away, and moves the role in any order", async (t) => {
  const { apply, refuse, accounts, store } = await openAccess(t, undefined, "owner", "anna");
  await apply("users: [{ username: owner, groups: [admins] }]");
  const { code, stdout, lines } = await refuse("users:\n  - username: owner\n    groups: []\n");
  assert.deepEqual([code, stdout], [1, ""]);
  assert.deepEqual(lines, [
    '3: users[0].groups: "owner" is the last administrator: add another user to the group admins first',
    "latchkey: nothing was changed: 1 problem",
    "",
  ]);
  assert.deepEqual(
    await apply("users: [{ username: owner, groups: [] }, { username: anna, groups: [admins] }]"),
    [
      'changed user "anna": groups none → admins',
      'changed user "owner": groups admins → none',
      "Made 2 changes.",
    ],
  );
  await store.users.setGroups((await accounts()).owner?.id ?? assert.fail(), ["admins"]);
  assert.equal((await apply("users: [{ username: owner, groups: [] }]")).at(-1), "Made 1 change.");
});

test("moves a verified address from one user to another", async (t) => {
  const { apply, refuse } = await openAccess(t, undefined, "owner", "anna");
  const verified = "email: a@example.org, emailVerified: true";
  await apply(`users: [{ username: anna, ${verified} }]`);
  const { lines } = await refuse(`users: [{ username: owner, ${verified} }]`);
  assert.match(lines[0] ?? "", /^1: users\[0\].email: another user has verified the address/);
  const moved = `users: [{ username: owner, ${verified} }, { username: anna, email: "" }]`;
  assert.deepEqual(await apply(moved), [
    'changed user "anna": email a@example.org (verified) → none',
    'changed user "owner": email none → a@example.org (verified)',
    "Made 2 changes.",
  ]);
});

test("gives an app the secret of a file, and keeps the one before it until the next", async (t) => {
  const { apply, write, store, entries, folder } = await openAccess(t, undefined, "owner");
  const content = `apps: [{ id: a, name: A, redirects: ["https://a.test/"], secretFile: data/secret }]`;
  const hashes = async () => (await store.apps.listSecrets("a")).map(({ hash }) => hash);
  const [one, two, three] = ["1", "2", "3"].map((digit) => digit.repeat(32)) as [
    string,
    string,
    string,
  ];
  // The file of a Kubernetes secret is a link to one whose folder is replaced.
  await write("one", `${one}\r\n`);
  await symlink(folder, join(folder, "data"));
  await symlink("one", join(folder, "secret"));
  assert.deepEqual(await apply(content), ['created app "a"', "Made 1 change."]);
  assert.deepEqual(await hashes(), [digestText(one)]);
  assert.deepEqual(await apply(content), ["Nothing to change."]);
  for (const [next, expected] of [
    [two, [one, two]],
    [three, [two, three]],
  ] as const) {
    await write("one", next);
    const changed = ['changed app "a": secret another → of secretFile', "Made 1 change."];
    assert.deepEqual(await apply(content), changed);
    assert.deepEqual(await hashes(), expected.map(digestText));
    assert.deepEqual(await apply(content), ["Nothing to change."]);
  }
  assert.ok(!(await entries()).some((entry) => entry.includes(three)));
});

test("an app whose recipe takes another way is no longer a client", async (t) => {
  const { apply, store } = await openAccess(t, undefined, "owner");
  const app = (way: string) =>
    `apps: [{ id: a, recipe: directus, way: ${way}, url: "https://a.test" }]`;
  await apply(app("oidc"));
  assert.equal((await store.apps.listSecrets("a")).length, 1);
  const [line = ""] = await apply(app("proxy"));
  assert.match(line, /clientType confidential → none/);
  assert.deepEqual(await store.apps.listSecrets("a"), []);
  assert.deepEqual(await apply(app("proxy")), ["Nothing to change."]);
});

test("an app that becomes a client gets the secret of its file alone", async (t) => {
  const { apply, write, store } = await openAccess(t, undefined, "owner");
  await store.apps.insert({ createdAt: new Date(0), id: "a", name: "A" });
  await write("secret", "s".repeat(32));
  await apply(`apps: [{ id: a, name: A, redirects: ["https://a.test/"], secretFile: secret }]`);
  const secrets = await store.apps.listSecrets("a");
  assert.deepEqual(
    secrets.map(({ hash }) => hash),
    [digestText("s".repeat(32))],
  );
});

test("makes the first account, whose link sets a password, in a database that it creates", async (t) => {
  const { file, run } = await openAccess(t);
  const env = {
    DATA_DIR: join(dirname(await newFile(t)), "data"),
    PUBLIC_URL: "https://auth.test",
  };
  await run("users:\n  - username: ben\n  - { username: owner, groups: [admins] }\n");
  for (const options of [[], ["--dry-run"]]) {
    const { code, stderr } = await runCommand(["apply", file, ...options], { env });
    assert.equal(code, 1);
    assert.match(stderr, /there is no database at .*: --create creates it$/m);
  }
  const planned = ['would create user "owner" in admins', 'would create user "ben"'];
  const dry = await outputOf(["apply", file, "--create", "--dry-run"], { env });
  assert.deepEqual(dry.split("\n"), [...planned, "Would make 2 changes.", ""]);
  assert.equal(
    (await runCommand(["user", "list"], { env })).code,
    1,
    "the dry run creates nothing",
  );
  const made = await runCommand(["apply", file, "--create"], { env });
  assert.equal(made.code, 0, made.stderr);
  const link = await runCommand(["link", "reset", "owner"], { env });
  assert.match(link.stdout, /^https:\/\/auth\.test\/link\/[\w-]{43}\n$/);
});
