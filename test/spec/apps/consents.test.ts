import assert from "node:assert/strict";
import { test } from "node:test";
import { getWords } from "../../../src/pages/words.ts";
import { execute, valuesOf } from "../../support/database.ts";
import { type RunningGate, startConfigured } from "../../support/gate.ts";
import { elements } from "../../support/markup.ts";
import { partsOf } from "../../support/mint.ts";
import { addMember } from "../people/at-people.ts";
import { APPS, atApps, PHOTOS } from "./at-apps.ts";

const en = getWords("en");

/** Adds a consent and two grants of a user for an app. */
function addAccess({ databaseFile }: RunningGate, userId: string, app: string): void {
  const id = `${app}/${userId}`;
  const grant = (offline: string): string =>
    `('${id} ${offline}', '${userId}', '${app}', NULL, 'sid', 4e9, 1, ${offline}, '{}', 1e12, 9e12)`;
  execute(
    databaseFile,
    `INSERT INTO latchkey_consents (id, user_id, app_id, scopes, created_at) VALUES ('${id}', '${userId}', '${app}', 'openid', 1e12);
     INSERT INTO latchkey_grants (id, user_id, app_id, session_id, sid, valid_up_to, factors, offline, content, created_at, expires_at) VALUES ${grant("1")}, ${grant("NULL")};
     INSERT INTO latchkey_tokens (id, kind, grant_id, content, expires_at) VALUES ('${id}', 'AccessToken', '${id} 1', '{}', 9e12)`,
  );
}

const countIn = ({ databaseFile }: RunningGate): readonly number[] =>
  ["consents", "grants", "tokens"].map(
    (table) => valuesOf(databaseFile, `SELECT id FROM latchkey_${table}`).length,
  );

test("lists the apps that know the person, who takes it back in one step", async (t) => {
  const { gate, act, open, ownId } = await atApps(t);
  await act("add", PHOTOS);
  await act("add", { name: "Notes <b>", id: "notes", public: "1" });
  const none = (await open("/account/access")).body;
  assert.ok(none.includes(en.noneYet) && !none.includes(`${APPS}/revoke`));
  const member = addMember(gate, "member", "family");
  for (const app of ["photos", "notes"]) addAccess(gate, ownId, app);
  addAccess(gate, "id of member", "photos");
  const page = (await open("/account/access")).body;
  assert.ok(page.includes(en.appsAbout) && page.includes("Notes &lt;b&gt;"));
  assert.ok(page.includes(en.staysSignedIn));
  const buttons = elements(page, "button").filter(({ name }) => name === "app");
  assert.deepEqual(
    buttons.map(({ value }) => value),
    ["notes", "photos"],
  );

  const revoked = await act("revoke", { app: "photos" });
  assert.deepEqual([revoked.status, revoked.location], [303, "/account/access"]);
  assert.match(String(revoked.cookies), /^latchkey-notice=accessIsTakenBack;/);
  assert.deepEqual(countIn(gate), [2, 4, 2], "those of the other app and person stay");
  const again = await act("revoke", { app: "photos" });
  assert.deepEqual([again.status, again.cookies], [303, []]);
  assert.deepEqual(countIn(gate), [2, 4, 2]);
  const both = [act("revoke", { app: "notes" }), act("revoke", { app: "notes" })];
  const notices = (await Promise.all(both)).map(({ cookies }) => cookies.length);
  assert.deepEqual(notices.sort(), [0, 1], "one of two at once");
  await act("revoke", { app: "photos" }, { session: member });
  assert.deepEqual(countIn(gate), [0, 0, 0]);

  const entries = (await gate.logEntries(7)).filter(({ type }) => type === "app_consent_revoke");
  assert.deepEqual(
    entries.map(({ userId, subject, author, address }) => [userId, subject, author, address]),
    [
      [ownId, "photos", "system", "127.0.0.1"],
      [ownId, "notes", "system", "127.0.0.1"],
      ["id of member", "photos", "system", "127.0.0.1"],
    ],
  );
});

test("taking back what does not exist changes nothing", async (t) => {
  const { gate, act, ownId } = await atApps(t);
  await act("add", PHOTOS);
  addAccess(gate, ownId, "photos");
  for (const app of ["unknown", "", "a\0b", `photos/${ownId}`, "x".repeat(10_000)]) {
    const { status, cookies } = await act("revoke", { app });
    assert.deepEqual([status, cookies], [303, []]);
  }
  assert.equal((await act("revoke", { app: "photos" }, { session: "" })).location, "/login");
  assert.deepEqual(countIn(gate), [1, 2, 1]);
});

test("without an app that uses OpenID Connect, the page offers nothing to take back", async (t) => {
  const { act, open } = await atApps(t);
  await act("add", { name: "Wiki" });
  const { body } = await open("/account/access");
  assert.ok(body.includes(en.noneYet) && !body.includes(`${APPS}/revoke`));
});

test("without OpenID Connect there is no page, and no link to it", async (t) => {
  const { gate, session } = await startConfigured(t);
  addAccess(gate, String(partsOf(session).claims.user_id), "photos");
  assert.equal((await gate.send("/account/access", { session })).status, 404);
  const { body } = await gate.send("/account/profile", { session });
  const links = elements(body, "a").map(({ href }) => href);
  assert.ok(links.includes("/account/history") && !links.includes("/account/access"));
  assert.equal((await gate.send(`${APPS}/revoke`, { session, form: {} })).status, 405);
});
