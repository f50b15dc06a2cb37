import assert from "node:assert/strict";
import { test } from "node:test";
import { getWords } from "../../../src/pages/words.ts";
import { execute, insertMany } from "../../support/database.ts";
import { activityOf, assertNothingInline, elements, fieldNamed } from "../../support/markup.ts";
import { addMember, atPeople, LINKS, PEOPLE, personPath } from "./at-people.ts";

const en = getWords("en");

/** The usernames on the page, from top to bottom. */
const namesIn = (body: string): readonly string[] =>
  [...body.matchAll(/<a class="entry"[\s\S]*?<b><bdi>([^<]*)<\/bdi>/g)].map(
    ([, name = ""]) => name,
  );

/** The texts of the chips, from top to bottom. */
const chipsIn = (html: string): readonly string[] =>
  [...html.matchAll(/<span class="chip[^>]*>(.*?)<\/span>/g)].map(([, text = ""]) =>
    text.replaceAll(/<[^>]*>/g, ""),
  );

const linkTo = (body: string, rel: string): string | undefined =>
  elements(body, "a")
    .find((link) => link.rel === rel)
    ?.href?.replaceAll("&amp;", "&");

test("lists each person with groups, end and last sign-in, and counts all", async (t) => {
  const { gate, open } = await atPeople(t);
  addMember(gate, "member", "family", "photos");
  addMember(gate, "visitor", "camera");
  addMember(gate, "gone");
  const [endsAt, past] = [Date.UTC(2099, 0, 31, 12), Date.now() - 1];
  for (const [name, fields] of [
    ["member", `ends_at = ${endsAt}`],
    ["visitor", `password_hash = '$guest$', ends_at = ${endsAt}`],
    ["gone", `ends_at = ${past}`],
  ])
    execute(gate.databaseFile, `UPDATE latchkey_users SET ${fields} WHERE username = '${name}'`);
  await gate.logEntries(1);
  const { body } = await open(PEOPLE);
  assert.deepEqual(namesIn(body), ["gone", "member", "owner", "visitor"]);
  const day = "Jan 31, 2099";
  assert.deepEqual(chipsIn(body), [
    en.ended,
    ...[en.until(day), "family", "photos"],
    "admins",
    ...[en.guestUntil(day), "camera"],
  ]);
  assert.ok(body.includes(`<p>${en.peopleCount("3")} · ${en.guestCount("1")}</p>`));
  assert.match(body, /<span class="chip main">admins</, "it stands out");
  assert.equal(body.split(en.neverSignedIn).length, 4);
  assert.match(body, /<small class="end"><time datetime="20/);
  const links = elements(body, "a").filter((link) => link.class === "entry");
  assert.deepEqual(links[1]?.href, personPath("id of member"));
  const found = (await open(`${PEOPLE}?q=memb`)).body;
  assert.ok(found.includes(en.peopleCount("3")), "the search does not change the numbers");
});

test("shows the groups, sign-in, apps and activity of a person", async (t) => {
  const { gate, act, open, ownId } = await atPeople(t);
  addMember(gate, "member", "family");
  const member = "id of member";
  const codes = `INSERT INTO latchkey_codes VALUES ('${member}', NULL, 'x', 0, ',', 0, NULL)`;
  execute(gate.databaseFile, codes);
  const passkey = `INSERT INTO latchkey_passkeys SELECT 'a', '${member}', 'Phone', '', 0, 0, NULL`;
  execute(gate.databaseFile, passkey);
  for (const [name, groups, factor] of [
    ["Everyones", "", ""],
    ["Photos", "family", "1"],
    ["Console", "admins", ""],
  ] as const) {
    const added = await open("/account/apps/add", { form: { name, groups, factor } });
    assert.equal(added.status, 303, name);
  }
  await act("rename", { user: member, username: "Mem" });
  for (let change = 0; change < 11; change += 1)
    await act("groups", { user: member, groups: change % 2 === 0 ? "photos" : "family" });
  await gate.logEntries(1);
  const { status, body } = await open(personPath(member));
  assert.equal(status, 200);
  assert.ok(body.includes("<h1><bdi>Mem</bdi></h1>"));
  assert.equal(fieldNamed(body, "username").value, "Mem");
  const boxes = elements(body, "input").filter(({ name = "" }) => name.startsWith("groups-"));
  assert.deepEqual(
    boxes.map((box) => [box.name, "checked" in box]),
    [
      ["groups-admins", false],
      ["groups-family", false],
      ["groups-photos", true],
    ],
    "all groups that accounts and apps have",
  );
  const facts = [...body.matchAll(/<li>([^<]+) <small>([^<]*)<\/small><\/li>/g)];
  assert.deepEqual(
    facts.map(([, name, value]) => [name, value]),
    [
      [en.lastSignIn, en.never],
      [en.sessions, "0"],
      [en.passkeys, "1"],
      [en.codes, en.isOn],
    ],
  );
  assert.ok(fieldNamed(body, "codes_off"));
  assert.deepEqual(namesIn(body), ["Everyones"]);
  assert.deepEqual(activityOf(body), [en.events.user_groups("Mem")]);
  assert.ok(body.includes('<span class="chip">×10</span>'), "the newest ten");
  const all = elements(body, "a").find(({ href = "" }) => href.includes("activity?user="));
  const { body: activity } = await open(all?.href ?? "");
  assert.ok(activity.includes('<span class="chip">×11</span>'));
  assert.ok(activity.includes(en.events.user_rename("Mem")));

  await act("groups", { user: member, groups: "family" });
  assert.deepEqual(namesIn((await open(personPath(member))).body), ["Everyones", "Photos"]);
  const own = (await open(personPath(ownId))).body;
  assert.deepEqual(namesIn(own), ["Console", "Everyones"]);
  assert.ok(!own.includes("codes_off"), "the owner has no codes");
  assert.ok(own.includes(`<li>${en.lastSignIn} <time datetime="20`));
});

test("an account that does not exist has no page, and one with the name of a form does", async (t) => {
  const { gate, open } = await atPeople(t);
  for (const path of ["nobody", "%00", "a%00b", "%", "%ff", "a/b", "x".repeat(5_000), ""]) {
    const { status, body } = await open(`${PEOPLE}/${path}`);
    assert.equal(status, 404, path);
    assert.ok(body.includes(en.messages.noSuchPage), path);
  }
  for (const [form, page] of [
    ["remove", PEOPLE],
    ["change", PEOPLE],
    ["invite", LINKS],
  ] as const) {
    assert.equal((await open(`${PEOPLE}/${form}`)).location, page, "after a reload");
  }
  addMember(gate, "somebody");
  execute(gate.databaseFile, "UPDATE latchkey_users SET id = 'remove' WHERE username = 'somebody'");
  assert.ok((await open(`${PEOPLE}/remove`)).body.includes("<h1><bdi>somebody</bdi></h1>"));
});

test("finds people by a part of the name, and lists 5,000 in pages", async (t) => {
  const { gate, act, open } = await atPeople(t);
  const users = "latchkey_users (id, username, password_hash) SELECT n, 'Person ' || n, ''";
  insertMany(gate.databaseFile, 1_000, 5_999, `INSERT INTO ${users} FROM numbers`);
  const log = "latchkey_log (at, type, summary, author, user_id) SELECT 0, 'signin', '', ''";
  insertMany(gate.databaseFile, 1, 20_000, `INSERT INTO ${log}, 1000 + n % 30 FROM numbers`);
  const first = (await open(PEOPLE)).body;
  assert.deepEqual([namesIn(first).length, namesIn(first)[0]], [25, "Person 1000"]);
  await act("remove", { user: "1003" });
  const second = (await open(linkTo(first, "next") ?? "")).body;
  assert.deepEqual([namesIn(second).length, namesIn(second)[0]], [25, "Person 1025"]);
  const back = (await open(linkTo(second, "prev") ?? "")).body;
  assert.deepEqual(namesIn(back), namesIn(first).toSpliced(3, 1), "nobody is missed");
  const last = (await open(`${PEOPLE}?after=Person+5999`)).body;
  assert.deepEqual([namesIn(last), linkTo(last, "next")], [["owner"], undefined]);
  for (const query of ["page=200", "after=", "before=", "after=z", "before=%00"])
    assert.equal(namesIn((await open(`${PEOPLE}?${query}`)).body)[0], "Person 1000", query);
  const found = (await open(`${PEOPLE}?q=pERSON+599`)).body;
  assert.deepEqual([namesIn(found).length, namesIn(found)[9]], [10, "Person 5999"]);
  const hostile = "<b>nobody&";
  const none = (await open(`${PEOPLE}?q=${encodeURIComponent(hostile)}`)).body;
  const sought = "<strong><bdi>&lt;b&gt;nobody&amp;</bdi></strong>";
  assert.ok(none.includes(en.nobodyFound(sought)), none);
  assert.ok(elements(none, "a").some(({ href }) => href === PEOPLE) && !none.includes("<b>n"));
});

test("no name breaks the page, whatever markup, direction or length", async (t) => {
  const { gate, open } = await atPeople(t);
  const names = [
    '<script>alert("1")</script>',
    "\u202Eevil\u2066",
    "x".repeat(60_000),
    "\ud83d\ude00".repeat(200),
    " ",
  ];
  for (const name of names) addMember(gate, name, "family");
  execute(
    gate.databaseFile,
    "UPDATE latchkey_users SET id = '\"><b>' || id WHERE username LIKE '<%'",
  );
  for (let i = 10; i < 31; i += 1) addMember(gate, `a${i}`);
  const { body, status } = await open(PEOPLE);
  assert.equal(status, 200);
  for (const { href = "" } of elements(body, "a").filter((link) => link.class === "entry")) {
    const person = await open(href.replaceAll("&amp;", "&"));
    assert.equal(person.status, 200, href);
    assertNothingInline(person.body);
    assert.doesNotMatch(person.body, /<b>id of|<script>alert/);
  }
  const next = (await open(linkTo(body, "next") ?? "")).body;
  const [long, isolated] = namesIn(next);
  assert.deepEqual([long?.slice(0, 9), isolated], ["xxxxxxxxx", "\u202Eevil\u2066"]);
  assertNothingInline(body);
  assert.doesNotMatch(body, /<b>id of|<script>alert/);
  assert.ok(next.length < 60_000, `${next.length}`);
  assert.ok(next.isWellFormed());
});
