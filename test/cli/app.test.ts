import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { digestText } from "../../src/lib/random-text.ts";
import { failureOf, outputOf, runCommand } from "../support/command.ts";
import { jsonLines } from "../support/json-lines.ts";
import { tempDir } from "../support/temp-dir.ts";
import { places } from "./user/either.ts";
import { type OpenPlace, sqlitePlace } from "./user/place.ts";

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>';
const CALLBACK = "https://photos.test/callback";

/** Runs commands of the family `app` on a new database. */
async function openApps(t: TestContext, open: OpenPlace = sqlitePlace) {
  const place = await open(t, "owner");
  const env = { ...place.env, PUBLIC_URL: "https://auth.test" };
  return {
    ...place,
    env,
    run: (...args: readonly string[]) => outputOf(["app", ...args], { env }),
    refuse: (code: number, ...args: readonly string[]) =>
      failureOf(["app", ...args], { env }, code),
    /** Returns what `app show --json` prints. */
    async show(id: string) {
      const [app] = jsonLines<Record<string, unknown>>(
        await outputOf(["app", "show", id, "--json"], { env }),
      );
      assert.ok(app);
      return app;
    },
  };
}

for (const [kind, open] of Object.entries(places)) {
  test(`${kind}: adds, lists, changes and removes apps`, async (t) => {
    const { run, show, store, entries, refuse } = await openApps(t, open);
    const wiki = ["add", "Wiki", "--url", "https://wiki.test", "--groups", "family, friends"];
    assert.equal(await run(...wiki, "--factor", "2"), 'Added the app "wiki".\n');
    const printed = await run("add", "Photos", "--id", "p", "--redirect", CALLBACK);
    const [, secret = ""] = /^ {2}Client secret: {2}(\S+)$/m.exec(printed) ?? [];
    assert.deepEqual(printed.replace(secret, "SECRET").split("\n"), [
      'Added the app "p". Enter this in the app; the secret is not shown again:',
      "  Issuer:         https://auth.test",
      "  Discovery URL:  https://auth.test/.well-known/openid-configuration",
      "  Client ID:      p",
      "  Client secret:  SECRET",
      "",
    ]);
    const [stored] = await store.apps.listSecrets("p");
    assert.equal(stored?.hash, digestText(secret));

    const listed = await run("list", "--json");
    assert.partialDeepStrictEqual(jsonLines(listed), [
      { id: "p", url: null, groups: [], factors: 1, redirects: [CALLBACK], consent: "none" },
      { id: "wiki", groups: ["family", "friends"], factors: 2, clientType: "none" },
    ]);
    assert.match(
      await run("list"),
      /^wiki +Wiki +on +family,friends +2 +- +https:\/\/wiki\.test$/m,
    );
    const shown = `${await run("show", "p")}${JSON.stringify(await show("p"))}`;
    assert.ok(!shown.includes(secret) && !shown.includes(String(stored?.hash)));
    assert.match(shown, /^Redirect URIs: +https:\/\/photos\.test\/callback$/m);

    assert.equal(await run("change", "wiki", "--name", "Notes"), 'Changed the app "wiki".\n');
    assert.partialDeepStrictEqual(await show("wiki"), { name: "Notes", factors: 2 });
    assert.equal(await run("change", "wiki", "--off"), 'Changed the app "wiki".\n');
    assert.match(await run("list"), /^wiki +Notes +off +family,friends/m);
    assert.match(await run("show", "wiki"), /^State: +off, nobody may open it$/m);
    assert.partialDeepStrictEqual(await show("wiki"), { state: "off", name: "Notes" });
    assert.match(await refuse(2, "change", "wiki", "--on", "--off"), /--on|--off/);
    await run("change", "wiki", "--on");
    assert.partialDeepStrictEqual(await show("wiki"), { state: "on", name: "Notes" });
    assert.equal(await run("remove", "wiki"), 'Removed the app "wiki".\n');
    for (const args of [
      ["remove", "wiki"],
      ["show", "wiki"],
      ["secret", "wiki"],
    ])
      assert.match(await refuse(1, ...args), /^there is no app "wiki": latchkey app list/);
    assert.match(await refuse(1, "change", "wiki", "--factor", "1"), /^there is no app "wiki"/);
    assert.deepEqual(await entries(), [
      "cli app_add: Added the app wiki",
      "cli app_add: Added the app p",
      "cli app_secret: Made a secret of the app p",
      ...Array(3).fill("cli app_change: Changed the app wiki"),
      "cli app_remove: Removed the app wiki",
    ]);
  });

  test(`${kind}: adds one of several apps with one name at once`, async (t) => {
    const { env, store } = await openApps(t, open);
    const args = ["app", "add", "Photos", "--redirect", CALLBACK];
    const all = await Promise.all([1, 2, 3].map(() => runCommand(args, { env })));
    assert.deepEqual(all.map(({ code }) => code).toSorted(), [0, 1, 1]);
    const refused = all.find(({ code }) => code === 1)?.stderr ?? "";
    assert.match(refused, /there is already an app with the ID "photos": choose another with --id/);
    assert.equal((await store.apps.listSecrets("photos")).length, 1);
  });
}

test("app change sets what is given, and an empty value removes", async (t) => {
  const { run, show } = await openApps(t);
  const many = ["--redirect", CALLBACK, "--redirect", "com.a:/b"];
  await run("add", "Photos", "--section", "Family", "--groups", "family", "--consent", ...many);
  await run(
    "change",
    "photos",
    "--redirect",
    "https://b.test/",
    "--backchannel",
    "https://b.test/o",
  );
  assert.partialDeepStrictEqual(await show("photos"), {
    ...{ redirects: ["https://b.test/"], section: "Family", groups: ["family"], consent: "ask" },
    backchannelUrl: "https://b.test/o",
  });
  const removing = ["--section", "", "--groups=", "--backchannel", "", "--no-consent"];
  await run("change", "photos", ...removing, "--factor", "2", "--signing", "ES256");
  assert.partialDeepStrictEqual(await show("photos"), {
    ...{ section: null, groups: [], backchannelUrl: null, consent: "none", factors: 2 },
    signing: "ES256",
  });
  await run("change", "photos", "--factor", "", "--signing", "");
  assert.partialDeepStrictEqual(await show("photos"), { factors: 1, signing: "RS256" });
});

test("app change with an empty redirect ends OpenID Connect, and a redirect begins it", async (t) => {
  const { run, show, refuse } = await openApps(t);
  await run("add", "Photos", "--redirect", CALLBACK);
  await run("change", "photos", "--redirect", "");
  assert.partialDeepStrictEqual(await show("photos"), { clientType: "none", secrets: [] });
  const begun = await run("change", "photos", "--redirect", CALLBACK);
  assert.match(begun, /^Changed the app "photos"\. Enter this[\s\S]*Client secret: {2}\S{43}\n$/);
  assert.equal(await run("change", "photos", "--public"), 'Changed the app "photos".\n');
  await run("change", "photos", "--redirect", "");
  assert.partialDeepStrictEqual(await show("photos"), { clientType: "public", redirects: [] });
  assert.match(await refuse(2, "change", "photos", "--no-public"), /needs a redirect URI/);
});

test("app add prints no secret for a public client, and says that PUBLIC_URL is not set", async (t) => {
  const { env } = await sqlitePlace(t, "owner");
  const printed = await outputOf(["app", "add", "TV", "--public"], { env });
  assert.doesNotMatch(printed, /secret/i);
  assert.match(printed, /Issuer: +set PUBLIC_URL/);
});

test("app secret prints a second secret, and revokes the older one", async (t) => {
  const { run, store, refuse } = await openApps(t);
  await run("add", "Photos", "--redirect", CALLBACK);
  assert.match(await refuse(1, "secret", "photos", "--revoke"), /has no older secret: make the/);
  const made = (await run("secret", "photos")).trim();
  assert.match(await refuse(1, "secret", "photos"), /has two secrets: revoke the older one/);
  assert.match(await run("secret", "photos", "--revoke"), /^Revoked the older secret of the app/);
  const left = await store.apps.listSecrets("photos");
  assert.deepEqual(
    left.map(({ hash }) => hash),
    [digestText(made)],
  );
  await run("change", "photos", "--public");
  assert.match(await refuse(1, "secret", "photos"), /has no secret: it is a public client/);
});

test("reads icons by their content, and changes nothing with one that it refuses", async (t) => {
  const { run, show, store, refuse } = await openApps(t);
  const folder = await tempDir(t);
  const at = (name: string) => join(folder, name);
  await writeFile(at("icon.png"), SVG);
  await symlink(at("icon.png"), at("link"));
  await symlink(at("nothing"), at("broken"));
  await writeFile(at("page.svg"), "<html>");
  await writeFile(at("empty.svg"), "");
  await writeFile(at("huge.svg"), SVG);
  await truncate(at("huge.svg"), 8 * 2 ** 30);
  await writeFile(at("large.svg"), SVG.padEnd(512 * 1_024 + 1));
  execFileSync("mkfifo", [at("pipe")]);
  for (const [file, problem] of [
    [folder, "it is not a regular file"],
    ["/dev/zero", "it is not a regular file"],
    [at("pipe"), "it is not a regular file"],
    [at("broken"), "no such file"],
    [at("none\n"), "no such file"],
    [at("page.svg"), "is not an SVG, PNG, WebP or AVIF image"],
    [at("empty.svg"), "is empty"],
    [at("huge.svg"), "is larger than 512 KiB"],
    [at("large.svg"), "is larger than 512 KiB"],
  ] as const) {
    const refusal = await refuse(1, "add", "Photos", "--icon-dark", file);
    assert.ok(refusal.includes(problem), refusal);
  }
  assert.deepEqual(await store.apps.list(), []);
  await run("add", "Photos", "--icon", at("link"), "--icon-dark", at("icon.png"));
  assert.equal((await store.apps.findIcon("photos/light"))?.type, "image/svg+xml");
  assert.deepEqual((await show("photos")).icons, ["light", "dark"]);
  await run("change", "photos", "--icon", "");
  await run("change", "photos", "--icon", "");
  assert.deepEqual((await show("photos")).icons, ["dark"]);
});

test("refuses each wrong value in one line, with what to write instead", async (t) => {
  const { refuse, run, store } = await openApps(t);
  const longest = "x".repeat(63);
  for (const [message, ...args] of [
    ["app add needs a name, or --recipe", "add"],
    ["an app needs a name", "add", " "],
    ['the name "a\\u{9}b" has control characters', "add", "a\tb"],
    ['the name "a\\u{0}b" has control characters', "add", "a\0b"],
    ['no ID can be made from the name "写真": choose one with --id', "add", "写真"],
    [`the ID "${longest}x" is not accepted`, "add", "a", "--id", `${longest}x`],
    ["--id needs a value", "add", "a", "--id", ""],
    ["--redirect needs a value", "add", "a", "--redirect", CALLBACK, "--redirect", ""],
    ['the redirect URI "javascript:1"', "add", "a", "--redirect", "javascript:1"],
    ['the redirect URI "http://a.test/"', "add", "a", "--redirect", "http://a.test/"],
    ["at most 50 redirect URIs", "add", "a", ...Array(51).fill(`--redirect=${CALLBACK}`)],
    ['the URL "a.test"', "add", "a", "--url", "a.test"],
    ['the URL "https://a.test/\\u{0}"', "add", "a", "--url", "https://a.test/\0"],
    ['the upstream "http://a/b"', "add", "a", "--upstream", "http://a/b"],
    ['the groups "A"', "add", "a", "--groups", "A"],
    ['the groups ","', "add", "a", "--groups", ","],
    ['--factor takes 1 or 2, but got "3"', "add", "a", "--factor", "3"],
    ["--signing takes RS256 or ES256", "add", "a", "--signing", "HS256"],
    ["can have a back-channel URL: add a redirect URI", "add", "a", "--backchannel", "https://a"],
    ["app change needs an option", "change", "a"],
    ["--public and --no-public exclude each other", "change", "a", "--public", "--no-public"],
    ["unknown option --no-public", "add", "a", "--no-public"],
  ] as const) {
    const refusal = await refuse(2, ...args);
    assert.ok(refusal.includes(message), refusal);
  }
  assert.deepEqual(await store.apps.list(), []);
  await run("add", "a", "--id", longest);
  const twice = ["change", longest, "--redirect", "", "--redirect", CALLBACK];
  assert.match(await refuse(2, ...twice), /the redirect URI "" is not a URL/);
});

test("escapes control characters of a name that is shown", async (t) => {
  const { run, store } = await openApps(t);
  const createdAt = new Date(0);
  await store.apps.insert({ id: "a", name: "\u001b[2J", section: "\u202e", createdAt });
  for (const args of [["list"], ["show", "a"], ["show", "a", "--json"], ["list", "--json"]])
    assert.doesNotMatch((await run(...args)).replaceAll("\n", ""), /[\p{Cc}]/u);
});
