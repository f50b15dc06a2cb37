import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ADMINS } from "../../src/db/records.ts";
import { hashText } from "../db/suite/samples.ts";
import { startCheckedSite } from "../doctor/app/site.ts";
import { failureOf, runCommand } from "../support/command.ts";
import { freePort } from "../support/free-port.ts";
import { places } from "./user/either.ts";
import { type OpenPlace, sqlitePlace } from "./user/place.ts";

/** A database with an app that does not run. */
async function openPlace(t: TestContext, open: OpenPlace = sqlitePlace) {
  const place = await open(t, "ann");
  const url = `http://127.0.0.1:${await freePort()}`;
  const createdAt = new Date();
  await place.store.apps.insert({ id: "wiki", name: "Wiki", url, createdAt });
  await place.store.apps.insert({ id: "tv", name: "TV", createdAt });
  const env = { ...place.env, PUBLIC_URL: "https://auth.example.org" };
  const addAdmin = async (username: string) => {
    const user = { username, passwordHash: hashText(username), groups: [ADMINS] };
    const added = await place.store.users.insert(user);
    assert.ok(added);
    return added;
  };
  return { ...place, env, addAdmin, args: (...more: string[]) => ["app", "check", ...more] };
}

test("prints one line for each step, with what to change, and a summary", async (t) => {
  const site = await startCheckedSite(t);
  const url = site.serve("wiki", (_, response) => response.end("Hello"));
  await site.addApp({ name: "Wiki", url, upstream: "http://127.0.0.1:3000" });
  const { code, stdout, stderr } = await runCommand(["app", "check", "wiki"], { env: site.env });
  assert.equal(code, 1);
  assert.match(stderr, /^latchkey: the database is \S+\n$/);
  const { origin } = new URL(url);
  assert.deepEqual(stdout.split("\n"), [
    "Checking Wiki as owner.",
    `✓ ok       address  ${origin}/ answers`,
    `✓ ok       gate     the gate answers at ${site.issuer}`,
    "✓ ok       clock    the clocks agree",
    `✗ PROBLEM  guard    not guarded: without a session, ${origin}/ answers without a sign-in instead of leading to ${site.issuer}/login`,
    "                    → use the configuration that latchkey proxy prints for your proxy (latchkey proxy caddy, nginx, traefik or haproxy), so that it asks the gate before each request, and let nothing but the proxy reach the app itself",
    "✓ ok       headers  a visitor who sends Remote-User, Remote-Groups, Remote-Name, Remote-Email is treated like any other",
    `✓ ok       session  Wiki opens for owner: ${origin}/ returns 200`,
    "1 problem found.",
    "",
  ]);
});

test("signs in as the account that --as names", async (t) => {
  const site = await startCheckedSite(t);
  const url = site.serve(
    "wiki",
    ({ headers }, response) => {
      response.end(`Hello ${headers["remote-user"]}`);
    },
    "guarded",
  );
  await site.addApp({ name: "Wiki", url, groups: ["admins"] });
  const { code, as } = await site.check("wiki");
  assert.deepEqual([code, as], [0, "owner"]);
  const refusal = ["app", "check", "wiki", "--as", "nobody"];
  assert.match(await failureOf(refusal, { env: site.env }), /there is no user "nobody"/);
});

for (const [kind, open] of Object.entries(places)) {
  test(`${kind}: checks as the oldest administrator, and logs and ends its session`, async (t) => {
    const { env, store, addAdmin, args, entries } = await openPlace(t, open);
    assert.match(
      await failureOf(args("wiki"), { env }),
      /no administrator: name an account with --as/,
    );
    const admins = [await addAdmin("cid"), await addAdmin("bea"), await addAdmin("dan")];
    const [cid, , dan] = admins;
    assert.ok(cid && dan);
    const entry = { at: new Date(), type: "user_add", summary: "", author: "cli" };
    await store.log.insert([{ ...entry, userId: dan.id }]);
    await store.log.insert([{ ...entry, userId: cid.id }]);
    const { code, stdout } = await runCommand(args("wiki"), { env });
    assert.equal(code, 1);
    assert.match(stdout, /^Checking Wiki as dan\.\n✗ PROBLEM +address +http:\S+ cannot be reached/);
    assert.match(stdout, /\n1 problem found, 5 steps skipped\.\n$/);
    assert.deepEqual((await entries()).slice(2), [
      "latchkey app check signin: Signed in as dan",
      "latchkey app check session_end: Ended a session of dan",
    ]);
    assert.deepEqual(await store.sessions.listOf(dan.id, new Date(), 10), []);
  });
}

test("says in one line what it cannot check", async (t) => {
  const { env, addAdmin, args } = await openPlace(t);
  await addAdmin("bea");
  const { PUBLIC_URL: _, ...without } = env;
  for (const [code, pattern, given, ...more] of [
    [2, /^app check needs the address of the gate: set PUBLIC_URL/, without, "wiki"],
    [2, /^app check takes ID/, env],
    [
      2,
      /^--start takes a path of the app .* but got "https:\/\/x"/,
      env,
      "wiki",
      "--start",
      "https://x",
    ],
    [2, /^--start takes a path/, env, "wiki", "--start", "//evil.example"],
    [2, /^there is no recipe "imich"\. Did you mean "immich"\?/, env, "wiki", "--recipe", "imich"],
  ] as const) {
    assert.match(await failureOf(args(...more), { env: given }, code), pattern);
  }
  assert.match(await failureOf(args("nothing"), { env }), /^there is no app "nothing"/);
});

test("says that an app without a URL needs one, and makes no session", async (t) => {
  const { env, addAdmin, args, entries } = await openPlace(t);
  await addAdmin("bea");
  const { code, stdout } = await runCommand(args("tv"), { env });
  assert.equal(code, 1);
  assert.match(stdout, /PROBLEM +address +TV has no URL\n +→ .*latchkey app change tv --url/);
  assert.deepEqual(await entries(), []);
});

test("refuses an account that has ended", async (t) => {
  const { env, store, args } = await openPlace(t);
  const user = { username: "eve", passwordHash: hashText("eve"), groups: [ADMINS] };
  await store.users.insert({ ...user, endsAt: new Date(1) });
  assert.match(await failureOf(args("wiki", "--as", "eve"), { env }), /there is no user "eve"/);
  assert.match(await failureOf(args("wiki"), { env }), /there is no administrator/);
});
