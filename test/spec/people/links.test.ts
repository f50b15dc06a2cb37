import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDate, getWords } from "../../../src/pages/words.ts";
import { execute, insertMany, valuesOf } from "../../support/database.ts";
import { linkPath } from "../../support/link.ts";
import { alertsIn, assertNothingInline, elements } from "../../support/markup.ts";
import { addMember, atPeople, LINKS, personPath } from "./at-people.ts";

const en = getWords("en");

/** The text of each open link without markup, from top to bottom. */
const linksIn = (body: string): readonly string[] =>
  [...body.matchAll(/<li>(.*?)<button/g)].map(([, html = ""]) =>
    html
      .replaceAll("<br>", " | ")
      .replaceAll(/<[^>]*>/g, "")
      .replaceAll(/\s+/g, " ")
      .trim(),
  );

const fieldsOf = (body: string, prefix: string): readonly string[] =>
  elements(body, "input").flatMap(({ name = "" }) => (name.startsWith(prefix) ? [name] : []));

const APPS = [
  ["everyones", "", ""],
  ["photos", "family,friends", ""],
  ["camera", "camera", ""],
  ["bank", "family", "1"],
  ["console", "admins", ""],
] as const;

/** A gate with an app of each kind. */
async function atLinks(t: Parameters<typeof atPeople>[0]) {
  const at = await atPeople(t, { publicUrl: "https://auth.example.org" });
  const headers = { Origin: "https://auth.example.org" };
  for (const [id, groups, factor] of APPS) {
    const form = { id, name: `The ${id}`, groups, factor };
    assert.equal((await at.open("/account/apps/add", { form, headers })).status, 303, id);
  }
  return at;
}

test("lists what each open link is for, by whom and until which day", async (t) => {
  const { gate, act, open } = await atLinks(t);
  addMember(gate, "ben");
  const empty = (await open(LINKS)).body;
  assert.ok(empty.includes(en.noOpenLinks) && linksIn(empty).length === 0);
  const until = { until: "2090-01-31" };
  const groups = { groups_listed: "camera", "groups-camera": "1" };
  const photos = { apps_listed: "camera,photos", "apps-photos": "1" };
  for (const [action, form] of [
    ["invite", { groups: "family, photos" }],
    ["invite", { username: "nora", ...photos }],
    ["invite", { username: "<b>cat sitter", ...groups, guest: "1", ...until }],
    ["reset", { user: "id of ben" }],
    ["reset", { user: "id of ben", codes_off: "1" }],
  ] as const)
    assert.equal((await act(action, form)).status, 200);
  await linkPath(gate, "invite", "--username", "carl");
  const { body } = await open(LINKS);
  assertNothingInline(body);
  assert.ok(!body.includes("/link/"), "no token is shown again");
  const [[expiry] = []] = valuesOf(
    gate.databaseFile,
    "SELECT expires_at FROM latchkey_links WHERE name = 'nora'",
  );
  const { utc } = formatDate("en", new Date(Number(expiry)));
  const day = en.until(utc);
  const byOwner = `${en.by("owner")} · ${day}`;
  assert.deepEqual(
    [...linksIn(body)].sort(),
    [
      `Guest link for &lt;b&gt;cat sitter camera | ${en.by("owner")} · until Jan 31, 2090`,
      `Invitation family photos | ${byOwner}`,
      `Invitation for carl | ${day}`,
      `Invitation for nora family The photos | ${byOwner}`,
      `New password for ben | ${byOwner}`,
      `New password for ben | ${byOwner}`,
    ].sort(),
  );
  const days = elements(body, "time");
  assert.ok(days.length === 6 && days.every((time) => "data-day" in time));
});

test("shows every open link, 25 on a page", async (t) => {
  const { gate, act, open } = await atPeople(t);
  const links = "latchkey_links (id, token_hash, purpose, expires_at, uses_left)";
  const values = "SELECT n, n, 'invite', 4e12, 1 FROM numbers";
  insertMany(gate.databaseFile, 1_000, 1_051, `INSERT INTO ${links} ${values}`);
  const idsIn = (body: string) =>
    elements(body, "button").flatMap(({ name, value }) => (name === "link" ? [Number(value)] : []));
  const linkTo = (body: string, rel: string) =>
    elements(body, "a").find((link) => link.rel === rel)?.href ?? "none";
  const first = (await open(LINKS)).body;
  assert.equal(linkTo(first, "prev"), "none");
  await act("revoke", { link: "1024" });
  const second = (await open(linkTo(first, "next"))).body;
  const third = (await open(linkTo(second, "next"))).body;
  assert.equal(linkTo(third, "next"), "none");
  const all = Array.from({ length: 52 }, (_, i) => 1_000 + i);
  assert.deepEqual([...idsIn(first), ...idsIn(second), ...idsIn(third)], all);
  assert.deepEqual(idsIn((await open(linkTo(third, "prev"))).body), [...all.slice(0, 24), 1025]);
  for (const after of ["zzz", "%00", "1051", "a".repeat(5_000)])
    assert.equal(idsIn((await open(`${LINKS}?after=${after}`)).body)[0], 1_000, after);
});

test("offers only apps that a link can open, and makes links for them", async (t) => {
  const { gate, act, open } = await atLinks(t);
  const { body } = await open(LINKS);
  const [invite = "", guest = ""] = body.split('id="guest"');
  assert.deepEqual(fieldsOf(invite, "apps-"), [
    "apps-bank",
    "apps-camera",
    "apps-everyones",
    "apps-photos",
  ]);
  assert.deepEqual(fieldsOf(guest, "apps-"), ["apps-camera", "apps-photos"]);
  const groups = ["admins", "camera", "family", "friends"].map((name) => `groups-${name}`);
  assert.deepEqual(fieldsOf(guest, "groups-"), groups);
  const listed = { apps_listed: "bank,camera,console,everyones,photos" };
  const stored = () =>
    valuesOf(gate.databaseFile, "SELECT purpose, groups, apps FROM latchkey_links ORDER BY rowid");
  const made = await act("invite", { ...listed, "apps-bank": "1", "apps-everyones": "1" });
  assert.equal(made.status, 200);
  const visitor = { ...listed, username: "visitor", guest: "1" };
  const chosen = { groups_listed: "friends", "groups-friends": "1", "apps-photos": "1" };
  assert.equal((await act("invite", { ...visitor, ...chosen })).status, 200);
  assert.equal((await act("invite", { ...visitor, "apps-camera": "1" })).status, 200);
  const expected = [
    ["invite", ",family,", ",bank,everyones,"],
    ["guest", ",friends,", ",photos,"],
    ["guest", ",camera,", ",camera,"],
  ];
  assert.deepEqual(stored(), expected);
  // An app that has changed since the form was shown.
  for (const app of ["everyones", "bank", "console", "gone"]) {
    const form = { ...visitor, apps_listed: `${app},photos`, "apps-photos": "1" };
    const refused = await act("invite", { ...form, [`apps-${app}`]: "1" });
    assert.equal(refused.status, 422, app);
    assert.deepEqual(alertsIn(refused.body), [en.messages.linkCannotOpen]);
    const [, form2 = ""] = refused.body.split('id="guest"');
    const checked = elements(form2, "input").filter((input) => "checked" in input);
    assert.deepEqual(
      checked.map(({ name }) => name),
      ["apps-photos"],
      "what can still be chosen stays chosen",
    );
  }
  // A field that the list does not name chooses nothing.
  await act("invite", { username: "plain", "apps-photos": "1", "groups-admins": "1" });
  assert.deepEqual(stored().at(-1), ["invite", null, null]);
  assert.equal(stored().length, expected.length + 1);
});

test("a new link is shown once, to copy, to share and to scan", async (t) => {
  const { gate, act, open } = await atPeople(t, { publicUrl: "https://auth.example.org" });
  addMember(gate, "ben");
  for (const [action, form, title, page] of [
    ["invite", { username: "" }, en.invitationLink, LINKS],
    ["invite", { username: "sitter", groups: "camera", guest: "1" }, en.guestLink, LINKS],
    ["reset", { user: "id of ben" }, en.passwordLink, personPath("id of ben")],
  ] as const) {
    const { status, body, headers } = await act(action, form);
    assert.deepEqual([status, headers["cache-control"]], [200, "no-store"]);
    assertNothingInline(body);
    assert.ok(body.includes(`<h1>${title}</h1>`));
    const [url = ""] = /https:\/\/auth\.example\.org\/link\/[\w-]{43}/.exec(body) ?? [];
    assert.equal(body.split(`<code dir="ltr">${url}</code>`).length, 2);
    const tools = elements(body, "button").map((button) => [
      button["data-copy"] ?? button["data-share"],
      "hidden" in button,
    ]);
    assert.deepEqual(tools, Array(2).fill([url, true]), "only a script can copy and share");
    assert.equal(elements(body, "svg").filter((svg) => svg.class === "qr").length, 1);
    assert.match(body, /works once, until <time datetime="20[^"]*">/);
    const done = elements(body, "a").find((link) => link.class === "button quiet");
    assert.equal(done?.href, page);
    assert.equal((await open(page)).body.includes(url), false);
  }
});

test("shows links whose names, and whose makers, are hostile", async (t) => {
  const { gate, act, open } = await atPeople(t);
  await act("invite", { username: "nora" });
  const name = `"><script>alert(1)</script>\u202e`;
  execute(
    gate.databaseFile,
    `UPDATE latchkey_links SET id = '"><b>' || id, name = '${name}', made_by = '${name}'`,
  );
  const { body } = await open(LINKS);
  assertNothingInline(body);
  assert.doesNotMatch(body, /"><b>|<script>alert/);
  assert.equal(body.split(/<bdi>[^<]*\u202e<\/bdi>/).length, 3, "the direction ends with the name");
});
