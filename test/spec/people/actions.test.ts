import assert from "node:assert/strict";
import { test } from "node:test";
import { getWords } from "../../../src/pages/words.ts";
import { execute, valuesOf } from "../../support/database.ts";
import { alertsIn, elements, fieldNamed } from "../../support/markup.ts";
import { partsOf } from "../../support/mint.ts";
import { addMember, atPeople, groupsIn, LINKS, PEOPLE, personPath } from "./at-people.ts";

const en = getWords("en");
const RTL_GUEST = { username: "a\u202eb", groups: "a", guest: "1" };
const at = (name: string): string => personPath(`id of ${name}`);

test("changes groups and names, ends sessions and removes, with log entries", async (t) => {
  const { gate, act, open } = await atPeople(t);
  const session = addMember(gate, "member");
  const user = "id of member";
  const headers = { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Firefox/142.0" };
  assert.equal((await open("/account/profile", { session })).status, 200);
  const grouped = await act("groups", { user, groups: " photos, family ,photos" }, { headers });
  assert.deepEqual([grouped.status, grouped.location], [303, at("member")]);
  assert.match(String(grouped.cookies), /^latchkey-notice=changeIsSaved;/);
  assert.equal((await act("rename", { user, username: "mémber" })).location, at("member"));
  assert.deepEqual(groupsIn(gate), { mémber: ",family,photos,", owner: ",admins," });
  const signedOut = await act("sign-out", { user });
  assert.equal(signedOut.location, at("member"));
  assert.match(String(signedOut.cookies), /^latchkey-notice=personIsSignedOut;/);
  assert.equal((await open("/account/profile", { session })).status, 303, "at once");
  const removed = await act("remove", { user });
  assert.deepEqual([removed.status, removed.location], [303, PEOPLE]);
  assert.match(String(removed.cookies), /^latchkey-notice=accountIsRemoved;/);
  assert.deepEqual(Object.keys(groupsIn(gate)), ["owner"]);
  assert.equal((await open(at("member"))).status, 404);
  await act("remove", { user });
  const entries = (await gate.logEntries(5)).slice(1);
  const told = entries.map(({ type, author, summary }) => [type, author, summary]);
  assert.deepEqual(told, [
    ["user_groups", "admin owner", "Set the groups of member"],
    ["user_rename", "admin owner", "Renamed account to mémber"],
    ["user_sign_out", "admin owner", "Ended the sessions of mémber"],
    ["user_remove", "admin owner", "Removed account mémber"],
  ]);
  const [{ userId, address, device } = {}] = entries;
  assert.deepEqual([userId, address, device], [user, "127.0.0.1", "Firefox on Linux"]);
});

test("shows what is wrong at the field, and changes nothing", async (t) => {
  const { gate, act, ownId } = await atPeople(t);
  addMember(gate, "member", "family");
  addMember(gate, "other");
  const before = groupsIn(gate);
  const user = "id of member";
  const lastAdmin = { user: ownId, groups: "family" };
  for (const [action, form, field, message] of [
    ["groups", { user, groups: "Family" }, "groups", en.messages.groupsInvalid],
    ["groups", { user, groups: `${"x".repeat(33)}` }, "groups", en.messages.groupsInvalid],
    ["rename", { user, username: "" }, "username", en.messages.fieldMissing],
    ["rename", { user, username: "other" }, "username", en.messages.usernameTaken],
    ["rename", { user, username: "OWNER" }, "username", en.messages.usernameUsed],
    ["rename", { user, username: "a\u200bb" }, "username", en.messages.usernameInvalid],
    ["invite", { username: "\u00f3wner" }, "username", en.messages.usernameUsed],
    ["invite", { username: "\u043ewner" }, "username", en.messages.usernameInvalid],
    ["invite", RTL_GUEST, "guest-username", en.messages.usernameInvalid],
    ["groups", lastAdmin, "groups", en.messages.lastAdmin],
    ["invite", { username: "other" }, "username", en.messages.usernameTaken],
    ["invite", { groups: "A" }, "groups", en.messages.groupsInvalid],
    ["invite", { groups: "a", guest: "1" }, "guest-username", en.messages.guestIncomplete],
    ["invite", { username: "x", guest: "1" }, "guest-groups", en.messages.guestIncomplete],
    ["invite", { until: "2026-02-30" }, "until", en.messages.endInvalid],
    ["invite", { until: "2020-01-31" }, "until", en.messages.endInvalid],
  ] as const) {
    const { status, body } = await act(action, form);
    assert.equal(status, 422, message);
    const wrong = elements(body, "input").filter((input) => "aria-invalid" in input);
    assert.deepEqual(
      wrong.map(({ id }) => id),
      [field],
    );
    const entered: Readonly<Record<string, string>> = form;
    assert.equal(wrong[0]?.value ?? "", entered[wrong[0]?.name ?? ""] ?? "");
    assert.ok(body.includes(`<p class="problem" role="alert">${message}</p>`));
    assert.ok(!body.includes("id of other"));
  }
  const kept = await act("remove", { user: ownId });
  assert.equal(kept.status, 422);
  assert.deepEqual(alertsIn(kept.body), [en.messages.lastAdmin]);
  assert.deepEqual(groupsIn(gate), before);
});

const save = (user: string, version: string, fields: Readonly<Record<string, string>>) => ({
  ...{ user, version, groups_listed: "admins,family,photos", groups: "" },
  ...fields,
});

test("one form changes the name and the groups, or neither", async (t) => {
  const { gate, act, open, ownId } = await atPeople(t);
  addMember(gate, "member", "family");
  addMember(gate, "other", "photos");
  const user = "id of member";
  const before = groupsIn(gate);
  const versionOf = async (id: string) =>
    String(fieldNamed((await open(personPath(id))).body, "version").value);
  const version = await versionOf(user);
  for (const [fields, field, message] of [
    [{ username: "ben", groups: "No group" }, "groups", en.messages.groupsInvalid],
    [{ username: "", "groups-photos": "1" }, "username", en.messages.fieldMissing],
    [{ username: "other", "groups-photos": "1" }, "username", en.messages.usernameTaken],
  ] as const) {
    const { status, body } = await act("change", save(user, version, fields));
    assert.equal(status, 422);
    assert.deepEqual(alertsIn(body), [message]);
    assert.equal(fieldNamed(body, field)["aria-invalid"], "true");
    assert.equal(fieldNamed(body, "username").value ?? "", fields.username);
    const checked = elements(body, "input").filter((input) => "checked" in input);
    const entered = Object.keys(fields).filter((name) => name.startsWith("groups-"));
    assert.deepEqual(
      checked.map(({ name }) => name),
      entered,
      "what was entered stays",
    );
    assert.deepEqual(groupsIn(gate), before);
  }
  const fields = { username: "ben", "groups-photos": "1", groups: "new-group、another" };
  const changed = await act("change", save(user, version, fields));
  assert.deepEqual([changed.status, changed.location], [303, personPath(user)]);
  assert.match(String(changed.cookies), /^latchkey-notice=changeIsSaved;/);
  assert.equal(groupsIn(gate).ben, ",another,new-group,photos,");
  assert.ok(!("member" in groupsIn(gate)));

  // Somebody else has changed the account since the form was shown.
  const late = await act("change", save(user, version, { username: "late" }));
  assert.equal(late.status, 422);
  assert.deepEqual(alertsIn(late.body), [en.messages.changedMeanwhile]);
  assert.equal(fieldNamed(late.body, "username").value, "ben", "the page shows the new values");
  assert.equal((await act("change", save(user, "", { username: "late" }))).status, 422);

  const own = save(ownId, await versionOf(ownId), { username: "me" });
  const refused = await act("change", own);
  assert.deepEqual(alertsIn(refused.body), [en.messages.lastAdmin]);
  assert.ok("owner" in groupsIn(gate));
  // Without a change, the log gets no entry.
  const same = save(user, await versionOf(user), { username: "ben", groups: "another,new-group" });
  assert.equal((await act("change", { ...same, "groups-photos": "1" })).status, 303);
  const entries = (await gate.logEntries(3)).slice(1);
  assert.deepEqual(
    entries.map(({ type, author, summary }) => [type, author, summary]),
    [
      ["user_rename", "admin owner", "Renamed account to ben"],
      ["user_groups", "admin owner", "Set the groups of ben"],
    ],
  );
});

test("administrators can act on themselves, and leave when they are none", async (t) => {
  const { gate, act, open, ownId } = await atPeople(t);
  addMember(gate, "second", "admins");
  const renamed = await act("rename", { user: ownId, username: "me" });
  assert.equal(renamed.location, personPath(ownId));
  const left = await act("groups", { user: ownId, groups: "family" });
  assert.equal(left.location, "/account/");
  assert.equal((await open(PEOPLE)).status, 404);
  execute(gate.databaseFile, "UPDATE latchkey_users SET groups = ',admins,' WHERE username = 'me'");
  const gone = await act("remove", { user: ownId });
  assert.equal(gone.location, "/account/");
  assert.equal((await open("/account/profile")).location, "/login");
  const [entry] = (await gate.logEntries(4)).slice(-1);
  assert.deepEqual([entry?.type, entry?.author], ["user_remove", "admin me"]);
});

test("unknown accounts, and IDs of other rows, change nothing", async (t) => {
  const { gate, act } = await atPeople(t);
  const { session = "" } = await gate.signIn();
  const before = groupsIn(gate);
  const jti = String(partsOf(session).claims.jti);
  for (const user of ["unknown", "", "owner", jti, "a\0b", "x".repeat(10_000)]) {
    for (const action of ["change", "groups", "rename", "sign-out", "remove", "reset", "revoke"]) {
      const form = { user, groups: "family", username: "x", link: user };
      const { status, cookies } = await act(action, form);
      assert.deepEqual([status, cookies], [303, []], action);
    }
  }
  assert.deepEqual(groupsIn(gate), before);
});

test("makes links to copy, shown once and without a referrer, and revokes open ones", async (t) => {
  const { gate, act, open } = await atPeople(t, { publicUrl: "https://auth.example.org" });
  addMember(gate, "member");
  const origin = { headers: { Origin: "https://auth.example.org" } };
  const invited = await act("invite", { username: "", groups: "family" }, origin);
  assert.equal(invited.status, 200);
  assert.equal(invited.headers["referrer-policy"], "no-referrer");
  assert.equal(invited.headers["cache-control"], "no-store");
  const url = /https:\/\/auth\.example\.org(\/link\/[\w-]{43})/.exec(invited.body);
  assert.ok(url?.[1] !== undefined && invited.body.includes(`<h1>${en.invitationLink}</h1>`));
  assert.deepEqual(elements(invited.body, "form"), [], "a form would be sent without an origin");
  const reset = await act("reset", { user: "id of member", codes_off: "1" });
  const resetPath = /\/link\/[\w-]{43}/.exec(reset.body)?.[0] ?? "";
  assert.ok(reset.body.includes(`<h1>${en.passwordLink}</h1>`) && !reset.body.includes(url[1]));
  const opened = await gate.send(resetPath);
  assert.ok(opened.body.includes(`<h1>${en.newPassword}</h1>`));
  const [username] = elements(opened.body, "input");
  assert.deepEqual([username?.value, username?.hidden], ["member", ""], "it is settled");

  const page = (await open(LINKS)).body;
  assert.ok(!page.includes("/link/"), "no token is shown again");
  const ids = elements(page, "button").flatMap(({ name, value }) =>
    name === "link" ? [value] : [],
  );
  assert.equal(ids.length, 2);
  const stored = "SELECT purpose, made_by, groups, uses_left FROM latchkey_links ORDER BY purpose";
  assert.deepEqual(valuesOf(gate.databaseFile, stored), [
    ["invite", "owner", ",family,", 1],
    ["reset-codes-off", "owner", null, 1],
  ]);
  for (const link of ids) {
    const revoked = await act("revoke", { link: link ?? "" });
    assert.deepEqual([revoked.status, revoked.location], [303, LINKS]);
    assert.match(String(revoked.cookies), /^latchkey-notice=linkIsRevoked;/);
  }
  for (const path of [url[1], resetPath]) assert.equal((await gate.send(path)).status, 404);
  const entries = await gate.logEntries(5);
  const told = entries.slice(1).map(({ type, author }) => [type, author]);
  assert.deepEqual(told, [
    ...Array(2).fill(["link_make", "admin owner"]),
    ...Array(2).fill(["link_revoke", "admin owner"]),
  ]);
  const tokens = [url[1], resetPath].map((path) => path.slice("/link/".length));
  const logged = JSON.stringify([entries, gate.serverLog]);
  assert.ok(!tokens.some((token) => logged.includes(token)));
});

test("a link begins with the public URL, or else with a host that the gate accepts", async (t) => {
  const form = { username: "", groups: "family" };
  const claims = { "X-Forwarded-Host": "evil.example", Forwarded: "host=evil.example" };
  const named = await atPeople(t, { publicUrl: "https://auth.example.org" });
  const other = { Origin: "https://auth.example.org", Host: "evil.example", ...claims };
  const { body } = await named.act("invite", form, { headers: other });
  assert.match(body, /https:\/\/auth\.example\.org\/link\/[\w-]{43}/);
  assert.ok(!body.includes("evil.example"));

  const listed = await atPeople(t, { allowedHosts: ["auth.example.org", "127.0.0.1"] });
  assert.match(
    (await listed.act("invite", form, { headers: claims })).body,
    /auth\.example\.org\/link/,
  );
  for (const host of ["evil.example", "auth%2eexample.org", "auth.example.org.evil.example"]) {
    const { status } = await listed.act("invite", form, { headers: { Host: host } });
    assert.equal(status, 421, host);
  }
  assert.equal(
    valuesOf(listed.gate.databaseFile, "SELECT purpose, uses_left FROM latchkey_links").length,
    1,
  );
});

test("makes links for guests, and invitations to accounts that end", async (t) => {
  const { gate, act } = await atPeople(t, { publicUrl: "https://auth.example.org" });
  const until = "2090-01-31";
  const guest = { username: "visitor", groups: "camera", guest: "1" };
  const answers = [
    await act("invite", { ...guest, until }),
    await act("invite", guest),
    await act("invite", { username: "ben", until }),
  ];
  const shown = answers.map(({ body }) => body.includes(`<h1>${en.guestLink}</h1>`));
  assert.deepEqual(shown, [true, true, false]);
  const stored = "SELECT purpose, name, ends_at, expires_at FROM latchkey_links ORDER BY rowid";
  const rows = valuesOf(gate.databaseFile, stored);
  const end = new Date(`${until}T00:00`).getTime();
  const week = Number(rows[1]?.[3]);
  assert.ok(Math.abs(week - Date.now() - 7 * 86_400_000) < 60_000, `${week}`);
  assert.deepEqual(rows, [
    ["guest", "visitor", null, end],
    ["guest", "visitor", null, week],
    ["invite", "ben", end, rows[2]?.[3]],
  ]);
  const path = /\/link\/[\w-]{43}/.exec(answers[0]?.body ?? "")?.[0] ?? "";
  assert.ok((await gate.send(path, { form: {} })).session);
});

test("a guest gets no link for a password, which guards without lists would admit", async (t) => {
  const { gate, act, open } = await atPeople(t);
  addMember(gate, "visitor", "camera");
  execute(
    gate.databaseFile,
    "UPDATE latchkey_users SET password_hash = '$guest$' WHERE username = 'visitor'",
  );
  const list = await open(`${PEOPLE}?q=visitor`);
  assert.ok(list.body.includes(`<span class="chip">${en.guest}</span>`));
  const { body } = await open(at("visitor"));
  assert.ok(body.includes("/people/sign-out") && !body.includes("/people/reset"));
  assert.equal((await act("reset", { user: "id of visitor" })).status, 303);
  assert.deepEqual(valuesOf(gate.databaseFile, "SELECT id FROM latchkey_links"), []);
});
