import assert from "node:assert/strict";
import { test } from "node:test";
import { APP_FORMS } from "../../../src/http/paths.ts";
import { getWords } from "../../../src/pages/words.ts";
import { execute } from "../../support/database.ts";
import { linkPath } from "../../support/link.ts";
import { inThePast } from "../../support/mint.ts";
import { addMember } from "../people/at-people.ts";
import { APPS, atApps, PHOTOS } from "./at-apps.ts";

const en = getWords("en");
const PAGES = [APPS, `${APPS}/photos`, `${APPS}/unknown`, `${APPS}/add`];

test("to users who are not administrators, the pages and forms are unknown paths", async (t) => {
  const { gate, act, open, stored } = await atApps(t);
  await act("add", PHOTOS);
  const member = addMember(gate, "member", "family");
  const link = await linkPath(gate, "guest", "visitor", "--groups", "admins");
  const { session: guest = "" } = await gate.send(link, { form: {} });
  for (const session of [member, guest]) {
    for (const path of PAGES) {
      const answer = await open(path, { session });
      assert.equal(answer.status, 404);
      assert.ok(answer.body.includes(en.messages.noSuchPage) && !answer.body.includes("Photos"));
    }
    for (const action of APP_FORMS) {
      const form = { ...PHOTOS, app: "photos" };
      assert.equal((await act(action, form, { session })).status, 404, action);
    }
    assert.ok(!(await open("/account/profile", { session })).body.includes(APPS));
  }
  assert.deepEqual(stored(), { photos: "Photos" });
  for (const page of ["/account/profile", "/account/people"]) {
    assert.ok((await open(page)).body.includes(`href="${APPS}"`), page);
  }
});

test("each form needs a sign-in within ten minutes, which leads back", async (t) => {
  const { session, act, stored } = await atApps(t);
  await act("add", PHOTOS);
  for (const [from, back] of [
    [`${APPS}/photos`, `${APPS}/photos`],
    [`${APPS}/change`, APPS],
    [APPS, APPS],
    ["/elsewhere", APPS],
  ] as const) {
    const headers = { Referer: `http://auth.example.org${from}` };
    for (const action of APP_FORMS) {
      const form = { ...PHOTOS, name: "Other", app: "photos" };
      const asked = await act(action, form, { session: inThePast(session), headers });
      const place = encodeURIComponent(back);
      assert.deepEqual([asked.status, asked.location], [303, `/login?again=1&return_to=${place}`]);
    }
  }
  assert.deepEqual(stored(), { photos: "Photos" });
});

test("refuses forms of other sites, other hosts and the signed out", async (t) => {
  const { act, open, stored } = await atApps(t, {
    allowedHosts: ["auth.example.org", "127.0.0.1"],
  });
  await act("add", PHOTOS);
  for (const headers of [
    { "Sec-Fetch-Site": "cross-site", Origin: "https://attacker.example" },
    { "Sec-Fetch-Site": "same-site", Origin: "https://photos.example.org" },
    { Origin: "https://attacker.example" },
  ]) {
    for (const action of [...APP_FORMS, "revoke"]) {
      assert.equal((await act(action, { app: "photos" }, { headers })).status, 403, action);
    }
  }
  const host = { headers: { Host: "photos.example.org" } };
  assert.equal((await act("remove", { app: "photos" }, host)).status, 421);
  assert.equal((await open(`${APPS}/photos`, host)).status, 421);
  assert.equal((await act("remove", { app: "photos" }, { session: "" })).location, "/login");
  assert.equal((await open(APPS, { session: "" })).location, "/login");
  const { status, headers } = await open(APPS, { method: "DELETE" });
  assert.deepEqual([status, headers.allow], [405, "GET, HEAD"]);
  assert.deepEqual(stored(), { photos: "Photos" });
});

test("who has just been taken out of the group is refused at once", async (t) => {
  const { gate, act, open, stored } = await atApps(t);
  await act("add", PHOTOS);
  const second = addMember(gate, "second", "admins");
  assert.equal((await open(APPS, { session: second })).status, 200);
  execute(gate.databaseFile, "UPDATE latchkey_users SET groups = NULL WHERE username = 'second'");
  assert.equal((await act("remove", { app: "photos" }, { session: second })).status, 404);
  assert.deepEqual(stored(), { photos: "Photos" });
});
