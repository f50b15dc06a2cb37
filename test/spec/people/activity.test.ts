import assert from "node:assert/strict";
import { test } from "node:test";
import { eventKinds, eventTypes } from "../../../src/audit/events.ts";
import { getWords, locales } from "../../../src/pages/words.ts";
import { execute, insertMany, valuesOf } from "../../support/database.ts";
import { activityOf, assertNothingInline, detailsOf, elements } from "../../support/markup.ts";
import { addMember, atPeople, personPath } from "./at-people.ts";

const en = getWords("en");
const ACTIVITY = "/account/activity";

const linkTo = (body: string, rel: string): string | undefined =>
  elements(body, "a")
    .find((link) => link.rel === rel)
    ?.href?.replaceAll("&amp;", "&");

test("shows the activity of everybody, of one person and of one kind, in pages", async (t) => {
  const { gate, act, open, ownId } = await atPeople(t);
  addMember(gate, "member");
  const user = "id of member";
  await act("groups", { user, groups: "family" });
  await act("rename", { user, username: "Mem" });
  await act("sign-out", { user });
  await act("remove", { user });
  const texts = async (query: string) => activityOf((await open(`${ACTIVITY}${query}`)).body);
  const { events } = en;
  const [removed, renamed] = [events.user_remove("Mem"), events.user_rename("Mem")];
  const [grouped, out] = [events.user_groups("member"), events.user_sign_out("Mem")];
  const created = events.signup("owner");
  assert.deepEqual(await texts(""), [removed, out, renamed, grouped, created]);
  const all = [removed, out, renamed, grouped];
  assert.deepEqual(await texts(`?user=${encodeURIComponent(user)}`), all);
  assert.deepEqual(await texts("?kind=people"), [removed, renamed, grouped, created]);
  assert.deepEqual(await texts("?kind=signIns"), [out]);
  assert.deepEqual(await texts(`?kind=signIns&user=${ownId}`), []);
  assert.deepEqual(await texts("?name=owner&kind="), [created]);
  assert.deepEqual(await texts("?name=Mem"), [], "the account is gone");
  for (const query of ["?kind=unknown&before=x", "?kind=user_groups", "?before=-1"])
    assert.deepEqual(await texts(query), await texts(""), query);
  const { body } = await open(ACTIVITY);
  const byOwner = `${en.by("owner")} · 127.0.0.1`;
  assert.deepEqual(
    detailsOf(body),
    [...Array(4).fill(byOwner), "127.0.0.1"],
    "the setup names nobody",
  );
  const filtered = (await open(`${ACTIVITY}?name=owner&kind=people`)).body;
  assert.ok(filtered.includes('value="owner"') && filtered.includes('value="people" selected'));
  assert.ok(elements(filtered, "a").some(({ href }) => href === ACTIVITY));
  const none = (await open(`${ACTIVITY}?name=nobody`)).body;
  assert.ok(none.includes(en.noEntries));

  await gate.logEntries(5);
  const log = "latchkey_log (at, type, summary, author, user_id, subject)";
  const values = `SELECT n, 'app_signin', '', 'cli', '${ownId}', n FROM numbers`;
  insertMany(gate.databaseFile, 0, 119, `INSERT INTO ${log} ${values}`);
  const seen: string[] = [];
  let previous: string | undefined;
  for (let next: string | undefined = `?user=${ownId}&kind=apps`; next !== undefined; ) {
    const page = (await open(next.startsWith("?") ? `${ACTIVITY}${next}` : next)).body;
    seen.push(...activityOf(page));
    next = linkTo(page, "next");
    previous = linkTo(page, "prev");
  }
  const newestFirst = Array.from({ length: 120 }, (_, i) => events.app_signin(`${119 - i}`));
  assert.deepEqual(seen, newestFirst);
  assert.deepEqual(activityOf((await open(previous ?? "")).body), newestFirst.slice(0, 50));
});

test("shows the activity of one app, which its page leads to, also after its removal", async (t) => {
  const { gate, act, open, ownId } = await atPeople(t);
  const actOnApp = (action: string, form: Readonly<Record<string, string>>) =>
    act(`../apps/${action}`, form);
  await actOnApp("add", { name: "Photos <b>", id: "photos", url: "https://photos.test" });
  await actOnApp("add", { name: "Wiki", id: "wiki" });
  // The name of an account can be that of an app.
  await act("invite", { username: "photos" });
  addMember(gate, "photos");
  await act("groups", { user: "id of photos", groups: "family" });
  await gate.logEntries(5);
  const log = "latchkey_log (at, type, summary, author, user_id, device, subject)";
  const entry = `0, 'app_refused', '', 'system', '${ownId}', n`;
  insertMany(
    gate.databaseFile,
    1,
    60,
    `INSERT INTO ${log} SELECT ${entry}, CASE n % 20 WHEN 0 THEN 'photos' ELSE 'wiki' END FROM numbers`,
  );
  const { events } = en;
  const [added, refused] = ["Photos &lt;b&gt;"].flatMap((name) => [
    events.app_add(name),
    events.app_refused(name),
  ]);
  const { body } = await open(`${ACTIVITY}?app=photos`);
  assert.deepEqual(activityOf(body), [refused, refused, refused, added]);
  assert.ok(body.includes('<a href="/account/apps/photos"><bdi>Photos &lt;b&gt;</bdi></a>'));
  assert.ok(body.includes('<input type="hidden" name="app" value="photos">'));
  const texts = async (query: string) => activityOf((await open(`${ACTIVITY}${query}`)).body);
  assert.deepEqual(await texts("?app=photos&kind=apps"), [refused, refused, refused, added]);
  assert.deepEqual(await texts("?app=photos&kind=warnings"), [refused, refused, refused]);
  assert.deepEqual(await texts("?app=photos&kind=people"), []);
  assert.deepEqual(await texts("?app=photos&name=owner"), [refused, refused, refused]);
  assert.deepEqual(await texts("?app=none"), []);
  for (const query of ["?app=", "?app=PHOTOS", "?app=new", "?app=%00"])
    assert.deepEqual(await texts(query), await texts(""), query);
  const first = (await open(`${ACTIVITY}?app=wiki`)).body;
  const second = (await open(linkTo(first, "next") ?? "")).body;
  assert.deepEqual([activityOf(first).length, activityOf(second).length], [50, 8]);
  assert.ok(activityOf(second).includes(events.app_add("Wiki")));

  const page = (await open("/account/apps/photos")).body;
  assert.ok(elements(page, "a").some(({ href }) => href === `${ACTIVITY}?app=photos`));
  await actOnApp("remove", { app: "photos" });
  const gone = (await open(`${ACTIVITY}?app=photos`)).body;
  assert.deepEqual(activityOf(gone)[0], events.app_remove("photos"));
  assert.ok(gone.includes("<bdi>photos</bdi>"));
});

test("leads to the page of each person, and marks what can mean an attack", async (t) => {
  const { gate, open } = await atPeople(t);
  addMember(gate, '"><b>x');
  const columns = "(at, type, summary, author, user_id, subject, address, device)";
  for (const [type, user, subject] of [
    ["app_signin", 'id of "><b>x', "<i>photos"],
    ["signin_rate_limited", "", ""],
    ["code_rejected", "id of gone", "gone"],
  ])
    execute(
      gate.databaseFile,
      `INSERT INTO latchkey_log ${columns} VALUES (0, '${type}', 'raw', 'system', '${user}', NULLIF('${subject}', ''), '192.0.2.7', '')`,
    );
  const { body } = await open(ACTIVITY);
  assertNothingInline(body);
  assert.doesNotMatch(body, /<b>x|<i>photos/);
  const people = elements(body, "a")
    .filter((link) => link.class === "me")
    .slice(1);
  const id = personPath('id of "><b>x');
  assert.equal(people[0]?.href, id, "an account that is gone has no page");
  const entries = body.split("<li").filter((one) => one.includes("<bdi "));
  const alarming = entries.filter((entry) => entry.startsWith(' class="alarming"'));
  assert.deepEqual(
    alarming.map((entry) => [entry.includes("<svg"), activityOf(`<li${entry}`)[0]]),
    [
      [true, en.events.code_rejected("gone")],
      [true, en.events.signin_rate_limited("192.0.2.7")],
    ],
  );
  assert.match(
    entries.find((entry) => entry.includes("photos")) ?? "",
    /<small><bdi>&quot;&gt;&lt;b&gt;x<\/bdi> · <bdi>192/,
  );
  const warnings = (await open(`${ACTIVITY}?kind=warnings`)).body;
  assert.equal(activityOf(warnings).length, 2);
});

test("each type has a kind, and no page shows a raw type or the ID of a link", async (t) => {
  const { gate, act, open, ownId } = await atPeople(t);
  const kinds = [...eventKinds].filter(([kind]) => kind !== "warnings");
  assert.deepEqual(kinds.flatMap(([, types]) => types).sort(), [...eventTypes].sort());
  await act("invite", { groups: "family" });
  await act("invite", { username: "nora", groups: "family" });
  await act("invite", { username: "cat sitter", groups: "camera", guest: "1" });
  await act("reset", { user: ownId, codes_off: "1" });
  const [[link] = []] = valuesOf(
    gate.databaseFile,
    "SELECT id FROM latchkey_links WHERE purpose = 'guest'",
  );
  await act("revoke", { link: String(link) });
  await gate.logEntries(6);
  const columns = "(at, type, summary, author, subject)";
  for (const type of eventTypes) {
    const subject = type === "repeated" ? "7 × signin_rate_limited" : "subject";
    execute(
      gate.databaseFile,
      `INSERT INTO latchkey_log ${columns} VALUES (0, '${type}', 'raw', 'system', '${subject}')`,
    );
  }
  const pages = await Promise.all(
    [...eventKinds.keys(), ""].map((kind) => open(`${ACTIVITY}?kind=${kind}`)),
  );
  for (const { body } of pages) {
    const shown = body.replaceAll(/<[^>]*>/g, " ");
    assert.doesNotMatch(shown, /[a-z]_[a-z]|\braw\b|[0-9a-f]{16}/);
  }
  const links = activityOf((await open(`${ACTIVITY}?kind=links`)).body);
  assert.deepEqual(links.slice(-5), [
    en.events.link_revoke(en.guestLinkFor("cat sitter")),
    en.events.link_make(en.newPasswordFor("owner")),
    en.events.link_make(en.guestLinkFor("cat sitter")),
    en.events.link_make(en.invitationFor("nora")),
    en.events.link_make(en.invitation),
  ]);
  for (const locale of locales) {
    const { body } = await open(ACTIVITY, { headers: { "Accept-Language": locale } });
    const options = [...body.matchAll(/<option value="(\w*)">([^<]*)</g)];
    assert.deepEqual(
      options.map(([, , text]) => text),
      [getWords(locale).allKinds, ...Object.values(getWords(locale).activityKinds)],
    );
  }
});

test("the page of a person and the history show no avatars", async (t) => {
  const { open, ownId } = await atPeople(t);
  const created = [en.events.signup("owner")];
  assert.deepEqual(activityOf((await open(personPath(ownId))).body), created);
  assert.deepEqual(activityOf((await open("/account/history")).body), created);
});
