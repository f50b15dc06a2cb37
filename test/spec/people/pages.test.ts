import assert from "node:assert/strict";
import { test } from "node:test";
import { getWords } from "../../../src/pages/words.ts";
import { execute, insertMany } from "../../support/database.ts";
import { activityOf, assertNothingInline, elements } from "../../support/markup.ts";
import { addMember, atPeople, PEOPLE } from "./at-people.ts";

const en = getWords("en");
const ACTIVITY = "/account/activity";

/** The usernames on the page, from top to bottom. */
const namesIn = (body: string): readonly string[] =>
  [...body.matchAll(/<h2><bdi>([^<]*)<\/bdi>/g)].map(([, name = ""]) => name);

const linkTo = (body: string, rel: string): string | undefined =>
  elements(body, "a")
    .find((link) => link.rel === rel)
    ?.href?.replaceAll("&amp;", "&");

test("shows each person with groups, sign-in, sessions, factors and end", async (t) => {
  const { gate, open } = await atPeople(t);
  addMember(gate, "member", "family", "photos");
  const codes = `INSERT INTO latchkey_codes VALUES ('id of member', NULL, 'x', 0, ',', 0, NULL)`;
  execute(gate.databaseFile, codes);
  const passkey = `INSERT INTO latchkey_passkeys SELECT 'a', id, 'Phone', '', 0, 0, NULL FROM latchkey_users WHERE username = 'owner'`;
  execute(gate.databaseFile, passkey);
  const endsAt = Date.UTC(2099, 0, 31, 12);
  execute(
    gate.databaseFile,
    `UPDATE latchkey_users SET ends_at = ${endsAt} WHERE username = 'member'`,
  );
  await gate.logEntries(1);
  const { body } = await open(PEOPLE);
  assert.deepEqual(namesIn(body), ["member", "owner"]);
  const [member = "", owner = ""] = body.split("<h2>").slice(-2);
  const facts = (html: string): readonly string[] =>
    [...html.matchAll(/<small[^>]*>([^<]+)<\/small>/g)].map(([, text = ""]) => text);
  const status = `family, photos, ${en.active("0")}, until Jan 31, 2099, 12:00 PM UTC`;
  assert.deepEqual(facts(member), [status, en.noneYet, "✓", en.noneYet]);
  assert.deepEqual(facts(owner), [`admins, ${en.active("1")}`, en.off, "✓"]);
  assert.ok(member.includes(`formaction="${PEOPLE}/reset"`));
  assert.match(owner, /Last sign-in <time datetime="20/);
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
  for (const query of ["page=200", "after=", "before=", "after=z", "before=%00", "links=z"])
    assert.equal(namesIn((await open(`${PEOPLE}?${query}`)).body)[0], "Person 1000", query);
  const found = (await open(`${PEOPLE}?q=pERSON+599`)).body;
  assert.deepEqual([namesIn(found).length, namesIn(found)[9]], [10, "Person 5999"]);
  const none = (await open(`${PEOPLE}?q=nobody`)).body;
  assert.ok(none.includes(en.noneYet));
});

test("shows every open link, 100 on a page", async (t) => {
  const { gate, act, open } = await atPeople(t);
  const links = "latchkey_links (id, token_hash, purpose, expires_at, uses_left)";
  const values = "SELECT n, n, 'invite', 4e12, 1 FROM numbers";
  insertMany(gate.databaseFile, 1_000, 1_101, `INSERT INTO ${links} ${values}`);
  const idsIn = (body: string) =>
    elements(body, "button").flatMap(({ name, value }) => (name === "link" ? [Number(value)] : []));
  const first = (await open(PEOPLE)).body;
  assert.ok(first.includes(en.active("100+")));
  await act("revoke", { link: "1050" });
  const [next = ""] = linkTo(first, "next")?.split("#p-") ?? [];
  const second = (await open(next)).body;
  assert.ok(!second.includes(en.active("2")), "there are more, on the page before");
  assert.equal(linkTo(second, "next"), undefined);
  const all = Array.from({ length: 102 }, (_, i) => 1_000 + i);
  assert.deepEqual([...idsIn(first), ...idsIn(second)], all);
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
  const next = (await open(linkTo(body, "next") ?? "")).body;
  const [long, isolated] = namesIn(next);
  assert.deepEqual([long?.slice(0, 9), isolated], ["xxxxxxxxx", "\u202Eevil\u2066"]);
  assertNothingInline(body);
  assert.doesNotMatch(body, /<b>/);
  assert.ok(next.length < 60_000, `${next.length}`);
  assert.ok(next.isWellFormed());
});

test("shows the activity of everybody, of one person and of one type, in pages", async (t) => {
  const { gate, act, open, ownId } = await atPeople(t);
  addMember(gate, "member");
  const user = "id of member";
  await act("groups", { user, groups: "family" });
  await act("rename", { user, username: "Mem" });
  await act("remove", { user });
  const texts = async (query: string) => activityOf((await open(`${ACTIVITY}${query}`)).body);
  const { events } = en;
  const [removed, renamed] = [events.user_remove("Mem"), events.user_rename("Mem")];
  const grouped = events.user_groups("member");
  const created = events.signup("owner");
  assert.deepEqual(await texts(""), [removed, renamed, grouped, created]);
  assert.deepEqual(await texts(`?user=${encodeURIComponent(user)}`), [removed, renamed, grouped]);
  assert.deepEqual(await texts("?type=user_groups"), [grouped]);
  assert.deepEqual(await texts(`?type=user_groups&user=${ownId}`), []);
  assert.deepEqual(await texts("?name=owner&type="), [created]);
  assert.deepEqual(await texts("?name=Mem"), [], "the account is gone");
  assert.deepEqual(await texts("?type=unknown&before=x"), await texts(""));
  const { body } = await open(ACTIVITY);
  const details = [...body.matchAll(/<small><bdi>([^<]*)<\/bdi>/g)].map(([, text]) => text);
  const byOwner = `${en.by("owner")} · 127.0.0.1`;
  assert.deepEqual(details, [byOwner, byOwner, byOwner, "127.0.0.1"], "the setup names nobody");
  assert.ok((await open(`${ACTIVITY}?name=owner`)).body.includes('value="owner"'));

  await gate.logEntries(4);
  const log = "latchkey_log (at, type, summary, author, user_id, subject)";
  const values = `SELECT n, 'signin', '', 'cli', '${ownId}', n FROM numbers`;
  insertMany(gate.databaseFile, 0, 119, `INSERT INTO ${log} ${values}`);
  const seen: string[] = [];
  for (let next: string | undefined = `?user=${ownId}&type=signin`; next !== undefined; ) {
    const page = (await open(next.startsWith("?") ? `${ACTIVITY}${next}` : next)).body;
    seen.push(...activityOf(page));
    next = linkTo(page, "next");
  }
  const newestFirst = Array.from({ length: 120 }, (_, i) => events.signin(`${119 - i}`));
  assert.deepEqual(seen, newestFirst);
});
