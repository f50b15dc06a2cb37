import assert from "node:assert/strict";
import { test } from "node:test";
import { getWords } from "../../../src/pages/words.ts";
import { valuesOf } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { elements } from "../../support/markup.ts";
import { addMember, groupsIn } from "../people/at-people.ts";
import { APPS, type AtApps, atApps, CALLBACK, PHOTOS } from "./at-apps.ts";

const en = getWords("en");
const { appPage } = en;
const URL_OF_PHOTOS = "https://photos.example.org";
const BEHIND_PROXY = { cookieDomain: "example.org", trustedProxies: ["127.0.0.1"] };

/** Asks the gate as a proxy does, when a browser opens the app. */
const openApp = ({ gate }: AtApps, session: string, host = "photos.example.org") =>
  gate.send("/forward-auth", {
    session,
    headers: {
      ...{ Accept: "text/html", "X-Forwarded-Method": "GET", "X-Forwarded-Proto": "https" },
      ...{ "X-Forwarded-Host": host, "X-Forwarded-Uri": "/" },
      "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    },
  });

const askFor = (uri: string): string =>
  `/oidc/authorize?${new URLSearchParams({
    ...{ client_id: "photos", response_type: "code", scope: "openid", redirect_uri: uri },
  })}`;

/** Waits until the page contains a text: what is noted is written in the background. */
const waitFor = ({ open }: AtApps, path: string, text: string): Promise<string> =>
  eventually(async () => {
    const { body } = await open(path);
    return body.includes(text) ? body : undefined;
  });

const redirectsOf = ({ gate }: AtApps): unknown =>
  valuesOf(gate.databaseFile, "SELECT redirects FROM latchkey_apps WHERE id = 'photos'")[0]?.[0];

test("each form saves its own fields, and leaves the others as they are", async (t) => {
  const { act, gate } = await atApps(t);
  const all = {
    ...{ ...PHOTOS, section: "Family", url: URL_OF_PHOTOS, upstream: "http://127.0.0.1:1" },
    ...{ who: "groups", offered: "family,dev", "group-family": "1", factor: "1", consent: "1" },
  };
  await act("add", all);
  const row = () =>
    valuesOf(
      gate.databaseFile,
      "SELECT name, section, url, upstream, groups, factors, redirects, consent, signing, off FROM latchkey_apps",
    )[0];
  const before = ["Photos", "Family", URL_OF_PHOTOS, "http://127.0.0.1:1", ",family,", 2, CALLBACK];
  assert.deepEqual(row(), [...before, 1, null, null]);
  await act("change", { app: "photos", card: "looks", name: "Pictures" });
  assert.deepEqual(row()?.slice(0, 5), ["Pictures", null, null, null, ",family,"]);
  const access = { app: "photos", card: "access", who: "groups", offered: "family,dev" };
  await act("change", { ...access, "group-dev": "1", "group-hidden": "1", new_group: "a, b" });
  assert.deepEqual(row()?.slice(4), [",a,b,dev,", null, CALLBACK, null, null, null]);
  await act("change", { ...access, who: "everyone", "group-dev": "1" });
  assert.equal(row()?.[4], null);
  await act("change", {
    ...{ app: "photos", card: "oidc", redirects: "https://a.example.org/cb" },
    signing: "ES256",
  });
  const after = ["Pictures", null, null, null, null, null, "https://a.example.org/cb"];
  assert.deepEqual(row(), [...after, null, "ES256", null]);
});

test("an app for members needs a group, so that it is not open to everyone by mistake", async (t) => {
  const { act, open, gate } = await atApps(t);
  await act("add", { ...PHOTOS, groups: "family" });
  for (const [action, form] of [
    ["add", { name: "Wiki" }],
    ["change", { app: "photos", card: "access" }],
  ] as const) {
    const none = { ...form, who: "groups", offered: "family", new_group: " , " };
    const { status, body } = await act(action, none);
    assert.equal(status, 422);
    assert.ok(body.includes(`id="who-problem">${en.messages.groupsMissing}</p>`));
    const chosen = elements(body, "input").find((input) => "checked" in input);
    assert.equal(chosen?.value, "groups", "what was chosen");
  }
  const groups = valuesOf(gate.databaseFile, "SELECT id, groups FROM latchkey_apps");
  assert.deepEqual(groups, [["photos", ",family,"]]);
  assert.ok((await open(`${APPS}/photos`)).body.includes(en.atTheMoment(en.peopleCount("0"))));
});

test("lists all apps with who opened them last, and finds them by name and address", async (t) => {
  const at = await atApps(t, BEHIND_PROXY);
  const { act, open, session } = at;
  assert.ok((await open(APPS)).body.includes(en.noApps));
  await act("add", { name: "Photos", url: URL_OF_PHOTOS });
  await act("add", { name: "Wiki <b>", url: "https://notes.example.org", groups: "family" });
  await act("add", { name: "Empty" });
  assert.equal((await openApp(at, session)).status, 200);
  const body = await waitFor(at, APPS, `<bdi>${en.by("owner")}</bdi>`);
  for (const text of [
    `${en.appCount("3")} · ${en.needAttention("1")}`,
    "Wiki &lt;b&gt;",
    `<span class="chip all">${en.everyone}</span>`,
    '<span class="chip">family</span>',
    `<span class="chip warn">${en.appTroubles["no-address"]}</span>`,
  ]) {
    assert.ok(body.includes(text), text);
  }
  assert.ok(!body.includes(appPage.neverOpened), "only OpenID Connect is sure to be seen");
  const found = async (search: string) => {
    const page = await open(`${APPS}?q=${encodeURIComponent(search)}`);
    return ["photos", "wiki-b", "empty"].filter((id) => page.body.includes(`${APPS}/${id}"`));
  };
  assert.deepEqual(await found("PHOTO"), ["photos"]);
  assert.deepEqual(await found(" notes.example "), ["wiki-b"]);
  assert.deepEqual(await found(""), ["photos", "wiki-b", "empty"]);
  for (const search of ["<script>", "%", "a\0b", "x".repeat(3_000), '"']) {
    assert.deepEqual(await found(search), [], search);
    const none = await open(`${APPS}?q=${encodeURIComponent(search)}`);
    assert.equal(none.status, 200);
    assert.ok(!none.body.includes("<script>"));
  }
});

test("counts who opened an app behind the proxy once an hour, with the device", async (t) => {
  const at = await atApps(t, BEHIND_PROXY);
  await at.act("add", { name: "Photos", url: URL_OF_PHOTOS });
  const member = addMember(at.gate, "member");
  for (const session of [at.session, at.session, member, at.session]) {
    assert.equal((await openApp(at, session)).status, 200);
  }
  const counted = `${en.timesOpened("2")} · ${en.byOf("2", "2")}`;
  const body = await waitFor(at, `${APPS}/photos`, counted);
  assert.ok(body.includes("<bdi>Firefox on Linux</bdi> · <time"));
  const [bars] = elements(body, "svg").filter(({ class: name }) => name === "bars");
  assert.match(String(bars?.["aria-label"]), /^(?:[^:]+: 0, ){6}[^:]+: 2$/);
});

test("lets a refused person in by the group of the app, once", async (t) => {
  const at = await atApps(t, BEHIND_PROXY);
  const { gate, act } = at;
  await act("add", { name: "Photos", url: URL_OF_PHOTOS, groups: "family" });
  const felix = addMember(gate, "felix <b>", "dev");
  assert.equal((await openApp(at, felix)).status, 403);
  const letIn = en.letIn("felix &lt;b&gt;");
  const body = await waitFor(at, `${APPS}/photos`, letIn);
  assert.ok(body.includes(en.notInGroups("family")) && !body.includes("felix <b>"));
  const form = { app: "photos", user: "id of felix <b>", group: "family" };
  const [answer, second] = await Promise.all([act("let-in", form), act("let-in", form)]);
  assert.deepEqual([answer.location, second.location], [`${APPS}/photos`, `${APPS}/photos`]);
  assert.match(String(answer.cookies), /^latchkey-notice=personIsIn;/);
  assert.deepEqual(groupsIn(gate)["felix <b>"], ",dev,family,");
  assert.equal((await openApp(at, felix)).status, 200, "at once");
  assert.ok(!(await at.open(`${APPS}/photos`)).body.includes(letIn));
  const entries = (await gate.logEntries(3)).filter(({ type }) => type === "user_groups");
  assert.deepEqual(
    entries.map(({ author, subject }) => [author, subject]),
    [["admin owner", "felix <b>"]],
  );
});

test("of several groups, the administrator chooses one, and never makes an administrator", async (t) => {
  const at = await atApps(t, BEHIND_PROXY);
  const { gate, act, open } = at;
  await act("add", { name: "Photos", url: URL_OF_PHOTOS, groups: "family,guests,admins" });
  await act("add", { name: "Panel", url: "https://panel.example.org", groups: "admins" });
  const felix = addMember(gate, "felix");
  for (const host of ["photos.example.org", "panel.example.org"])
    assert.equal((await openApp(at, felix, host)).status, 403);
  const body = await waitFor(at, `${APPS}/photos`, en.letIn("felix"));
  const offered = elements(body, "button").filter(({ name }) => name === "group");
  assert.deepEqual(
    offered.map(({ value }) => value),
    ["family", "guests"],
  );
  const panel = await waitFor(at, `${APPS}/panel`, appPage.onlyAdmins);
  assert.ok(!panel.includes(`${APPS}/let-in`));
  assert.ok(panel.includes('href="/account/people?q=felix"'));
  for (const [app, group] of [
    ["photos", "admins"],
    ["panel", "admins"],
    ["photos", "other"],
    ["photos", ""],
  ] as const) {
    const { status, body: problem } = await act("let-in", { app, group, user: "id of felix" });
    assert.equal(status, 422);
    assert.ok(problem.includes(en.messages.groupUnfit));
  }
  for (const user of ["", "unknown", "a\0b"]) {
    const { status, cookies } = await act("let-in", { app: "photos", group: "family", user });
    assert.deepEqual([status, cookies], [303, []]);
  }
  const unknown = await act("let-in", { app: "x", group: "family", user: "id of felix" });
  assert.equal(unknown.location, APPS);
  assert.equal(groupsIn(gate).felix, null);
  assert.equal((await open(`${APPS}/let-in`)).location, APPS);
});

test("adds the redirect address that was refused last, and warns of one elsewhere", async (t) => {
  const at = await atApps(t);
  const { act, open } = at;
  await act("add", PHOTOS);
  const own = `${URL_OF_PHOTOS}/user-settings?a="<b>`;
  assert.equal((await open(askFor(own))).status, 400);
  const escaped = "https://photos.example.org/user-settings?a=&quot;&lt;b&gt;";
  const body = await waitFor(at, `${APPS}/photos`, escaped);
  assert.ok(!body.includes(en.uriElsewhere("photos.example.org", "Photos")));
  assert.ok((await open(APPS)).body.includes(en.appTroubles.redirect));
  const add = { app: "photos", redirect: own };
  const added = await Promise.all([act("add-redirect", add), act("add-redirect", add)]);
  for (const { status, location } of added)
    assert.deepEqual([status, location], [303, `${APPS}/photos`]);
  assert.equal(redirectsOf(at), `${CALLBACK} ${own}`, "once");
  assert.ok(!(await open(`${APPS}/photos`)).body.includes(`${APPS}/add-redirect`));
  assert.ok(!(await open(APPS)).body.includes(en.appTroubles.redirect));

  assert.equal((await open(askFor("https://attacker.example/"))).status, 400);
  await waitFor(at, `${APPS}/photos`, en.uriElsewhere("attacker.example", "Photos"));
  for (const redirect of ["javascript:alert(1)", "http://a.test/", "x", ""]) {
    const { status } = await act("add-redirect", { app: "photos", redirect });
    assert.equal(status, 422, redirect);
  }
  assert.equal((await act("add-redirect", { ...add, app: "x" })).location, APPS);
  assert.equal(redirectsOf(at), `${CALLBACK} ${own}`);
});

test("keeps no refused address that no app can have, or that a stranger made up", async (t) => {
  const at = await atApps(t);
  const { act, open, gate } = at;
  await act("add", { ...PHOTOS, groups: "family" });
  const family = addMember(gate, "member", "family");
  for (const [uri, session] of [
    ["javascript:alert(1)", family],
    ["http://photos.example.org/", family],
    [`https://a.test/${"x".repeat(2_100)}`, family],
    ["https://a.test/#b", family],
    ["https://stranger.test/", ""],
    ["https://excluded.test/", at.session],
  ] as const) {
    assert.equal((await open(askFor(uri), { session })).status, 400, uri);
  }
  // What is noted later is there, so the others have been considered.
  await open(askFor("https://photos.example.org/kept"), { session: family });
  await waitFor(at, `${APPS}/photos`, "https://photos.example.org/kept");
  const kept = valuesOf(gate.databaseFile, "SELECT refused_uri FROM latchkey_app_uses");
  assert.deepEqual(kept, [["https://photos.example.org/kept"]]);
});

test("nobody opens an app that is turned off, which keeps its settings", async (t) => {
  const at = await atApps(t, BEHIND_PROXY);
  const { act, open, session, gate } = at;
  await act("add", { ...PHOTOS, url: URL_OF_PHOTOS, backchannel: `${URL_OF_PHOTOS}/end` });
  assert.equal((await openApp(at, session)).status, 200);
  assert.ok((await open("/apps")).body.includes(URL_OF_PHOTOS));
  const state = { app: "photos", card: "state" };
  const off = await act("change", { ...state, state: "off" });
  assert.match(String(off.cookies), /^latchkey-notice=appIsOff;/);
  assert.equal((await openApp(at, session)).status, 403);
  assert.ok(!(await open("/apps")).body.includes(URL_OF_PHOTOS));
  const step = await open(askFor(CALLBACK));
  assert.match(step.location ?? "", /\/oidc\/interaction\//);
  const cookies = step.cookies.map((cookie) => cookie.split(";")[0]).join("; ");
  const refused = await open(step.location ?? "", {
    headers: { Cookie: `session=${session}; ${cookies}` },
  });
  assert.equal(refused.status, 403);
  const page = (await open(`${APPS}/photos`)).body;
  assert.ok(page.includes(appPage.isOffAbout) && page.includes(CALLBACK));
  assert.ok(!page.includes(appPage.refused), "the groups still admit them");
  assert.ok((await open(APPS)).body.includes(`<span class="chip">${appPage.isOff}</span>`));

  const on = await act("change", { ...state, state: "on" });
  assert.match(String(on.cookies), /^latchkey-notice=appIsOn;/);
  assert.equal((await openApp(at, session)).status, 200);
  const types = (await gate.logEntries(6)).filter(({ type }) => type === "app_change");
  assert.deepEqual(
    types.map(({ author, subject }) => [author, subject]),
    Array(2).fill(["admin owner", "photos"]),
  );
});

test("revokes the secret that was chosen, known by its last characters", async (t) => {
  const { act, open, gate } = await atApps(t);
  await act("add", PHOTOS);
  await act("secret", { app: "photos" });
  const stored = () =>
    valuesOf(gate.databaseFile, "SELECT id, ending FROM latchkey_app_secrets ORDER BY rowid");
  const [[first, ending] = [], [second] = []] = stored();
  assert.match(String(ending), /^[\w-]{4}$/);
  assert.ok((await open(`${APPS}/photos`)).body.includes(`<code dir="ltr">…${ending}</code>`));
  const unknown = await act("revoke-secret", { app: "photos", secret: "x" });
  assert.deepEqual(unknown.cookies, []);
  const done = await Promise.all(
    [first, second].map((secret) =>
      act("revoke-secret", { app: "photos", secret: String(secret) }),
    ),
  );
  assert.deepEqual(done.map(({ cookies }) => cookies.length).sort(), [0, 1], "one stays");
  assert.equal(stored().length, 1);
});

test("no app has the ID of the page for a new one", async (t) => {
  const { act, open, stored } = await atApps(t);
  const page = await open(`${APPS}/new`);
  assert.equal(page.status, 200);
  assert.ok(elements(page.body, "form").some(({ action }) => action === `${APPS}/add`));
  assert.equal((await act("add", { name: "A", id: "new" })).status, 422);
  assert.equal((await act("add", { name: "New" })).location, `${APPS}/new-app`);
  assert.deepEqual(stored(), { "new-app": "New" });
});

test("only administrators see the pages, and use the forms", async (t) => {
  const { act, open, gate, stored } = await atApps(t);
  await act("add", PHOTOS);
  const session = addMember(gate, "member", "family");
  for (const path of [APPS, `${APPS}/new`, `${APPS}/photos`])
    assert.equal((await open(path, { session })).status, 404, path);
  for (const action of ["change", "let-in", "add-redirect", "remove-icon", "revoke-secret"]) {
    const { status } = await act(action, { app: "photos", name: "x" }, { session });
    assert.equal(status, 404, action);
  }
  assert.deepEqual(stored(), { photos: "Photos" });
});
