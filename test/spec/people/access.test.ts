import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { PEOPLE_FORMS } from "../../../src/http/paths.ts";
import { getWords } from "../../../src/pages/words.ts";
import { addKey } from "../../support/add-key.ts";
import { startConfiguredApp } from "../../support/app.ts";
import type { Sending } from "../../support/client.ts";
import { execute, valuesOf } from "../../support/database.ts";
import { type RunningGate, startGate } from "../../support/gate.ts";
import { linkPath } from "../../support/link.ts";
import { elements } from "../../support/markup.ts";
import { inSeconds, inThePast, mint, partsOf } from "../../support/mint.ts";
import { addMember, atPeople, groupsIn, LINKS, PEOPLE, personPath } from "./at-people.ts";

const en = getWords("en");
const PAGES = [PEOPLE, LINKS, "/account/activity"];
const ADMIN_AREA = /^\/account\/(apps|people|links|activity)/;

/** The links to pages for administrators. */
const adminLinksIn = (body: string): readonly string[] =>
  elements(body, "a")
    .map(({ href = "" }) => href)
    .filter((href) => ADMIN_AREA.test(href));

test("to users who are not administrators, the pages and forms are unknown paths", async (t) => {
  const { gate, act, open, ownId } = await atPeople(t);
  const member = addMember(gate, "member", "family", "admins-too");
  const admin = addMember(gate, "second", "admins");
  const guestLink = await linkPath(gate, "guest", "visitor", "--groups", "admins");
  const { session: guest } = await gate.send(guestLink, { form: {} });
  assert.ok(guest);
  const before = groupsIn(gate);
  for (const session of [member, guest]) {
    const unknown = await open("/account/nothing", { session });
    for (const path of [...PAGES, personPath(ownId), personPath("nobody"), `${PEOPLE}/remove`]) {
      const answer = await open(path, { session });
      assert.equal(answer.status, 404);
      assert.ok(answer.body.includes(en.messages.noSuchPage));
      assert.equal(answer.body.length, unknown.body.length);
    }
    for (const action of PEOPLE_FORMS) {
      const form = { user: ownId, username: "x", groups: "", link: "x" };
      assert.equal((await act(action, form, { session })).status, 404, action);
    }
    const { body } = await open("/account/profile", { session });
    assert.deepEqual(adminLinksIn(body), []);
  }
  assert.deepEqual(groupsIn(gate), before);
  for (const path of PAGES) assert.equal((await open(path, { session: admin })).status, 200);
  const profile = await open("/account/profile", { session: admin });
  const [first = "", ...others] = adminLinksIn(profile.body);
  assert.deepEqual(others, [], "the other pages of the area are on its first page");
  const area = await open(first, { session: admin });
  for (const path of PAGES) assert.ok(adminLinksIn(area.body).includes(path), path);
});

test("who has just been taken out of the group on another gate is refused at once", async (t) => {
  const { gate, act, open } = await atPeople(t);
  const second = addMember(gate, "second", "admins");
  assert.equal((await open(PEOPLE, { session: second })).status, 200);
  // No notice of it reaches the gate: what it remembers is still valid.
  execute(gate.databaseFile, "UPDATE latchkey_users SET groups = NULL WHERE username = 'second'");
  const refused = await act("remove", { user: "id of second" }, { session: second });
  assert.equal(refused.status, 404);
  assert.ok("second" in groupsIn(gate));
});

test("each form needs a sign-in within ten minutes, which leads back", async (t) => {
  const { gate, session, act } = await atPeople(t);
  addMember(gate, "member");
  const before = groupsIn(gate);
  const headers = { Referer: `http://auth.example.org${PEOPLE}?q=mem&after=a` };
  for (const action of PEOPLE_FORMS) {
    const form = { user: "id of member", username: "x", groups: "family" };
    const asked = await act(action, form, { session: inThePast(session), headers });
    const place = encodeURIComponent(`${PEOPLE}?q=mem&after=a`);
    assert.deepEqual([asked.status, asked.location], [303, `/login?again=1&return_to=${place}`]);
  }
  assert.deepEqual(groupsIn(gate), before);
});

test("refuses forms of other sites, other methods and the signed out", async (t) => {
  const { gate, act, open } = await atPeople(t);
  addMember(gate, "member");
  for (const headers of [
    { "Sec-Fetch-Site": "cross-site" },
    { Origin: "https://attacker.example" },
  ]) {
    assert.equal((await act("remove", { user: "id of member" }, { headers })).status, 403);
  }
  // The page that shows a problem of a form has its path, and can be loaded again.
  const got = await open(`${PEOPLE}/remove?user=id+of+member`);
  assert.deepEqual([got.status, got.location], [303, PEOPLE]);
  assert.ok("member" in groupsIn(gate));
  const signedOut = await gate.send(PEOPLE, { headers: { Accept: "text/html" } });
  assert.equal(signedOut.location, "/login");
  assert.equal((await act("remove", { user: "x" }, { session: "" })).location, "/login");
});

test("while the store cannot be reached, the pages answer 500 and change nothing", async (t) => {
  const { gate, act, open } = await atPeople(t);
  addMember(gate, "member");
  assert.equal((await open(PEOPLE)).status, 200);
  execute(gate.databaseFile, "ALTER TABLE latchkey_users RENAME TO moved_away");
  for (const { status, body } of [
    await open(PEOPLE),
    await act("remove", { user: "id of member" }),
  ]) {
    assert.equal(status, 500);
    assert.ok(!body.includes("moved_away") && !body.includes("member"));
  }
});

test("no page or form opens for anyone but an administrator who has just signed in", async (t) => {
  const { gate, session, ownId } = await atPeople(t);
  const host = { Host: "auth.example.org", Accept: "text/html" };
  const member = addMember(gate, "member", "family");
  const guestLink = await linkPath(gate, "guest", "visitor", "--groups", "admins");
  const guest = (await gate.send(guestLink, { form: {} })).session ?? "";
  const [ended, out, removed] = ["ended", "out", "removed"].map((name) =>
    addMember(gate, name, "admins"),
  );
  const { databaseFile } = gate;
  execute(
    databaseFile,
    `UPDATE latchkey_users SET ends_at = ${Date.now()} WHERE username = 'ended'`,
  );
  execute(
    databaseFile,
    "UPDATE latchkey_users SET sessions_from = 4000000000 WHERE username = 'out'",
  );
  execute(databaseFile, "DELETE FROM latchkey_users WHERE username = 'removed'");
  const { claims } = partsOf(session);
  const bound = { alg: "HS256", typ: "JWT", host: "auth.example.org" };
  const key = await addKey(gate, "--factor", "2");
  const open = await linkPath(gate, "invite", "--groups", "admins");
  const link = String(valuesOf(databaseFile, "SELECT max(id) FROM latchkey_links")[0]?.[0]);
  const required = await startGate(t, { dataDir: gate.dataDir, requireSecondFactor: ["admins"] });

  const visitors: Readonly<Record<string, readonly [RunningGate, Sending]>> = {
    "a member": [gate, { session: member }],
    "a guest in the group": [gate, { session: guest }],
    "no session": [gate, {}],
    "an empty session": [gate, { session: "" }],
    "a forged session": [gate, { session: mint(claims, { secret: "another" }) }],
    "an expired session": [gate, { session: mint({ ...claims, exp: inSeconds(-1) }) }],
    "an administrator whose account has ended": [gate, { session: ended }],
    "an administrator who was signed out": [gate, { session: out }],
    "an administrator who was removed": [gate, { session: removed }],
    "a session of another host": [gate, { session: mint(claims, { header: bound }) }],
    "a key of an administrator": [gate, { headers: { Authorization: `Bearer ${key}` } }],
    "a key as a session": [gate, { session: key }],
    "an administrator without the required factor": [required, { session }],
  };
  const content = () =>
    ["users", "links", "keys"].map((table) =>
      valuesOf(databaseFile, `SELECT * FROM latchkey_${table} ORDER BY id`),
    );
  const form = { user: "id of member", username: "x", groups: "admins", link, codes_off: "1" };
  const before = content();
  for (const [who, [at, sending]] of Object.entries(visitors)) {
    const headers = { ...host, ...sending.headers };
    for (const path of PAGES) {
      const { status, body } = await at.send(path, { ...sending, headers });
      assert.ok([303, 404].includes(status) && !body.includes("member"), `${who}: ${path}`);
    }
    for (const action of PEOPLE_FORMS) {
      for (const user of [form.user, ownId]) {
        const path = `${PEOPLE}/${action}`;
        const { status } = await at.send(path, { ...sending, headers, form: { ...form, user } });
        assert.ok([303, 404].includes(status), `${who}: ${action}`);
      }
    }
    assert.deepEqual(content(), before, who);
  }
  const late = inThePast(session);
  for (const action of PEOPLE_FORMS) {
    const path = `${PEOPLE}/${action}`;
    const { location } = await gate.send(path, { session: late, headers: host, form });
    assert.match(location ?? "", /^\/login\?again=1&/, action);
  }
  assert.deepEqual(content(), before, "a sign-in that is too long ago");
  assert.equal((await gate.send(open)).status, 200);
  for (const path of PAGES)
    assert.equal((await gate.send(path, { session, headers: host })).status, 200);
});

test("in the library the pages are off unless the option people is on", async (t) => {
  const { app, session } = await startConfiguredApp(t);
  assert.equal((await app.send(PEOPLE, { session })).status, 404);
  assert.deepEqual(adminLinksIn((await app.send("/account/profile", { session })).body), []);
  const on = await startConfiguredApp(t, { people: true });
  assert.equal((await on.app.send(PEOPLE, { session: on.session })).status, 200);
  const profile = await on.app.send("/account/profile", { session: on.session });
  const [first = ""] = adminLinksIn(profile.body);
  const area = await on.app.send(first, { session: on.session });
  assert.ok(adminLinksIn(area.body).includes(PEOPLE));
});

test("an app that leaves the option out loads nothing of the pages", () => {
  const index = JSON.stringify(import.meta.resolve("../../../src/index.ts"));
  const script = `import { registerHooks } from "node:module";
    registerHooks({ load: (url, context, next) => (console.log(url), next(url, context)) });
    await import(${index});`;
  const loaded = `${execFileSync(process.execPath, ["--input-type=module", "-e", script])}`;
  assert.match(loaded, /features\/home\/home-pages\.ts/);
  assert.doesNotMatch(loaded, /features\/(people\/people-|activity\/activity-)/);
});
