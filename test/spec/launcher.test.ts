import assert from "node:assert/strict";
import { test } from "node:test";
import { addApps } from "../support/add-app.ts";
import { addUser } from "../support/add-user.ts";
import { execute } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { OWNER, type RunningGate, startConfigured, startGate } from "../support/gate.ts";
import { linkPath } from "../support/link.ts";
import { elements } from "../support/markup.ts";
import { FORWARD_AUTH } from "./forward-auth-asking.ts";

/** At this host, browsers support passkeys. */
const AT_LOCALHOST = { Host: "localhost" };

const PHOTOS = {
  id: "photos",
  name: "Photos",
  url: "https://photos.example.test/album?a=b&c",
  groups: ["family"],
};
const WIKI = { id: "wiki", name: "Wiki", url: "https://wiki.example.test" };

/** The addresses of the tiles that the page shows, in its order. */
const tilesOf = (html: string): readonly (string | undefined)[] =>
  [...html.matchAll(/<li><a class="tile" href="([^"]*)"/g)].map(([, url]) => url);

async function setGroups(gate: RunningGate, username: string, groups: string): Promise<void> {
  execute(
    gate.databaseFile,
    `UPDATE latchkey_users SET groups = ${groups} WHERE username = '${username}'`,
  );
}

/** Uses a new link for a guest in these groups, and returns the guest's session. */
async function enterAsGuest(gate: RunningGate, groups: string): Promise<string> {
  const path = await linkPath(gate, "guest", "plumber", "--groups", groups);
  const { session } = await gate.send(path, { form: {} });
  assert.ok(session !== undefined);
  return session;
}

test("the home paths of a signed-in user lead to the apps, and those of a visitor to the sign-in", async (t) => {
  const { gate, session } = await startConfigured(t);
  assert.equal((await gate.send("/", { session })).location, "/apps");
  assert.equal((await gate.send("/apps", { session })).status, 200);
  for (const path of ["/", "/apps"]) {
    const { status, location } = await gate.send(path);
    assert.deepEqual([status, location], [303, "/login"], path);
  }
  const unconfigured = await startGate(t);
  assert.equal((await unconfigured.send("/apps")).location, "/setup");
});

test("lists only the apps that the person may open", async (t) => {
  const { gate, session } = await startConfigured(t);
  await addApps(gate, PHOTOS, WIKI);
  const other = addUser(gate, "ben");
  const wiki = "https://wiki.example.test/";
  assert.deepEqual(tilesOf((await gate.send("/apps", { session: other })).body), [wiki]);
  await setGroups(gate, "ben", "',family,'");
  const photos = "https://photos.example.test/album?a=b&amp;c";
  const both = await eventually(async () => {
    const tiles = tilesOf((await gate.send("/apps", { session: other })).body);
    return tiles.length === 2 ? tiles : undefined;
  });
  assert.deepEqual(both, [photos, wiki]);
  // An administrator opens apps by groups, too.
  assert.deepEqual(tilesOf((await gate.send("/apps", { session })).body), [wiki]);
});

test("a broken address hides one app, and not the others", async (t) => {
  const { gate, session } = await startConfigured(t, FORWARD_AUTH);
  await addApps(
    gate,
    WIKI,
    { id: "broken", url: "http://[" },
    { id: "script", url: "javascript:alert(1)" },
    { id: "none" },
  );
  const page = await gate.send("/apps", { session });
  assert.deepEqual([page.status, tilesOf(page.body)], [200, ["https://wiki.example.test/"]]);
  const headers = { "X-Forwarded-Host": "wiki.example.test" };
  assert.equal((await gate.send("/forward-auth", { session, headers })).status, 200);
});

test("escapes what others wrote, and marks a second factor for screen readers", async (t) => {
  const { gate, session } = await startConfigured(t);
  const name = `<b>"&'`;
  await addApps(gate, { id: "a", name, section: name, factors: 2, url: "https://a.test/?<b>\"'" });
  const { body } = await gate.send("/apps", { session });
  assert.doesNotMatch(body, /<b>"|"&'/);
  assert.equal(body.match(/<b(di| dir="auto")>&lt;b&gt;&quot;&amp;&#39;<\/b/g)?.length, 2);
  assert.match(body, /<svg [^>]*role="img" aria-label="Asks for a second factor">/);
});

test("offers a search above eight apps, which the server answers", async (t) => {
  const { gate, session } = await startConfigured(t);
  const nameless = (number: number) => ({ id: `app-${number}`, url: `https://a${number}.test` });
  await addApps(gate, ...Array.from({ length: 8 }, (_, index) => nameless(index)));
  const search = (query: string) => gate.send(`/apps${query}`, { session });
  assert.doesNotMatch((await search("")).body, /role="search"|latchkey-launcher/);
  assert.equal(tilesOf((await search("?q=a1.test")).body).length, 8, "few apps are not searched");
  await addApps(gate, { ...WIKI, name: "Wíki", section: "Tools" });
  await eventually(async () => /role="search"/.test((await search("")).body) || undefined);
  assert.equal(tilesOf((await search("")).body).length, 9);
  assert.deepEqual(tilesOf((await search("?q=WIKI")).body), ["https://wiki.example.test/"]);
  assert.deepEqual(tilesOf((await search("?q=a1.test")).body), ["https://a1.test/"]);
  assert.equal(tilesOf((await search("?q=+")).body).length, 9);
  const none = (await search("?q=%22%3E%3Cb%3E")).body;
  assert.deepEqual(tilesOf(none), []);
  assert.match(none, /<p class="none">No app has this name\. <a href="\/apps">/);
  assert.ok(none.includes('value="&quot;&gt;&lt;b&gt;"'), none);
  const long = (await search(`?q=${"x".repeat(5_000)}`)).body;
  assert.ok(long.includes(`value="${"x".repeat(100)}"`));
});

test("suggests a passkey until the account has one or the browser puts it off", async (t) => {
  const { gate, session } = await startConfigured(t);
  const suggests = async (headers: Readonly<Record<string, string>>, cookie = "") => {
    const Cookie = `session=${session}${cookie}`;
    const { body } = await gate.send("/apps", { headers: { ...headers, Cookie } });
    return /class="nudge"/.test(body);
  };
  assert.equal(await suggests(AT_LOCALHOST), true);
  assert.equal(await suggests({}), false, "browsers allow no passkeys at an address");
  const later = await gate.send("/account/passkeys/later", {
    session,
    form: {},
    headers: AT_LOCALHOST,
  });
  assert.deepEqual([later.status, later.location], [303, "/apps"]);
  const cookie = "latchkey-later=1; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000";
  assert.deepEqual(later.cookies, [cookie]);
  assert.equal(await suggests(AT_LOCALHOST, "; latchkey-later=1"), false);

  const overTls = { ...AT_LOCALHOST, "X-Forwarded-Proto": "https" };
  const [secure = ""] = (
    await gate.send("/account/passkeys/later", { session, form: {}, headers: overTls })
  ).cookies;
  assert.match(secure, /^__Host-latchkey-later=1; Path=\/; Secure; HttpOnly; SameSite=Lax; /);
  assert.equal(await suggests(overTls, "; latchkey-later=1"), true, "not the host's own cookie");
  assert.equal(await suggests(overTls, "; __Host-latchkey-later=1"), false);

  addUser(gate, "ben");
  execute(
    gate.databaseFile,
    `INSERT INTO latchkey_passkeys VALUES ('p', 'id of ben', 'Phone', '', 0, 0, NULL)`,
  );
  assert.equal(await suggests(AT_LOCALHOST), true, "the passkey belongs to another account");
  execute(
    gate.databaseFile,
    `UPDATE latchkey_passkeys SET user_id = (SELECT id FROM latchkey_users WHERE username = '${OWNER.username}')`,
  );
  await eventually(async () => !(await suggests(AT_LOCALHOST)) || undefined);
});

test("the form that puts a passkey off is for signed-in users of this site", async (t) => {
  const { gate, session } = await startConfigured(t);
  const foreign = { Origin: "https://evil.test", "Sec-Fetch-Site": "cross-site" };
  const refused = await gate.send("/account/passkeys/later", {
    session,
    form: {},
    headers: foreign,
  });
  assert.deepEqual([refused.status, refused.cookies], [403, []]);
  const visitor = await gate.send("/account/passkeys/later", { form: {} });
  assert.deepEqual([visitor.status, visitor.location], [303, "/login"]);
  assert.ok(visitor.cookies.every((line) => !line.includes("later")));
  const guest = await gate.send("/account/passkeys/later", {
    session: await enterAsGuest(gate, "family"),
    form: {},
  });
  assert.deepEqual([guest.status, guest.cookies], [403, []]);
  assert.equal((await gate.send("/account/passkeys/later", { session })).status, 405);
});

test("an administrator sees the first steps until there is an app", async (t) => {
  const { gate, session } = await startConfigured(t);
  const steps = async () => (await gate.send("/apps", { session })).body;
  const before = await steps();
  assert.match(before, /First steps/);
  assert.match(before, /<code dir="ltr">latchkey backup latchkey-backup\.db<\/code>/);
  const links = elements(before, "a").map(({ href }) => href);
  assert.ok(links.includes("/account/apps/new") && links.includes("/account/links#invite"));
  assert.doesNotMatch(before, />Done</);

  const other = addUser(gate, "ben");
  const [, ofStep = ""] = /Invite your people([\s\S]*?)<\/li>/.exec(await steps()) ?? [];
  assert.match(ofStep, /<span class="chip all">Done<\/span>/);
  const ofBen = (await gate.send("/apps", { session: other })).body;
  assert.match(ofBen, /No apps yet/);
  assert.doesNotMatch(ofBen, /First steps|latchkey backup/);

  // The app is not for the administrator, but it exists.
  await addApps(gate, PHOTOS);
  await eventually(async () => !/First steps/.test(await steps()) || undefined);
  assert.match(await steps(), /No apps yet/);
});

test("a guest sees only the guest's apps, until when, and a sign-out", async (t) => {
  const { gate } = await startConfigured(t);
  await addApps(gate, PHOTOS, WIKI, { id: "work", url: "https://work.test", groups: ["work"] });
  const session = await enterAsGuest(gate, "family");
  assert.equal((await gate.send("/", { session })).location, "/apps");
  const { status, body } = await gate.send("/apps", { session, headers: AT_LOCALHOST });
  assert.equal(status, 200);
  assert.deepEqual(tilesOf(body), ["https://photos.example.test/album?a=b&amp;c"]);
  const ends = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
  const [, shown = ""] =
    /This browser stays signed in until <time datetime="([^"]*)" data-day>/.exec(body) ?? [];
  assert.equal(shown.slice(0, 10), ends, "the account ends before the session");
  assert.match(body, /<form method="post" action="\/logout">/);
  assert.doesNotMatch(body, /\/account|class="nudge"|First steps/);

  for (const path of ["/account/", "/account/profile", "/account/sign-in", "/account/devices"]) {
    const refused = await gate.send(path, { session });
    assert.equal(refused.status, path === "/account/" ? 303 : 403, path);
    if (refused.status === 403) assert.match(refused.body, /href="\/apps"/);
  }
  for (const path of ["/account/people", "/account/apps", "/account/activity"]) {
    assert.equal((await gate.send(path, { session })).status, 404, path);
  }
  const left = await gate.send("/logout", { session, form: {} });
  assert.equal(left.status, 303);
  assert.equal((await gate.send("/apps", { session })).location, "/login");
});

test("shows a guest the end of the session if it comes before the end of the account", async (t) => {
  const { gate } = await startConfigured(t, { sessionLifetimeMs: 3_600_000 });
  const { body } = await gate.send("/apps", { session: await enterAsGuest(gate, "family") });
  const [, end = ""] = /<time datetime="([^"]*)" data-day>/.exec(body) ?? [];
  const left = Date.parse(end) - Date.now();
  assert.ok(left > 3_000_000 && left <= 3_600_000, end);
});

test("a guest whose account has ended has to sign in", async (t) => {
  const { gate } = await startConfigured(t);
  const session = await enterAsGuest(gate, "family");
  execute(gate.databaseFile, "UPDATE latchkey_users SET ends_at = 1 WHERE username = 'plumber'");
  await eventually(async () => {
    const { status, location } = await gate.send("/apps", { session });
    return (status === 303 && location === "/login") || undefined;
  });
  assert.equal((await gate.send("/", { session })).location, "/login");
});

test("a guest lands on the apps if the post-login location is at another host", async (t) => {
  const { gate } = await startConfigured(t, {
    ...FORWARD_AUTH,
    postLoginLocation: "https://home.example.test/",
  });
  const path = await linkPath(gate, "guest", "plumber", "--groups", "family");
  assert.equal((await gate.send(path, { form: {} })).location, "/apps");
  const invited = await linkPath(gate, "invite");
  const form = { username: "ben", password: OWNER.password, confirm: OWNER.password };
  assert.equal((await gate.send(invited, { form })).location, "https://home.example.test/");
});

test("a tile of an app at another domain opens the app, whose proxy begins the handoff", async (t) => {
  const AUTH = "https://auth.example.test";
  const { gate, session } = await startConfigured(t, {
    publicUrl: AUTH,
    returnDomains: ["other.test"],
    trustedProxies: ["127.0.0.1"],
    allowedHosts: ["127.0.0.1"],
  });
  await addApps(gate, { id: "shop", name: "Shop", url: "https://shop.other.test/start?a=1" });
  const [tile = ""] = tilesOf((await gate.send("/apps", { session })).body);
  assert.equal(tile, "https://shop.other.test/start?a=1");

  // The browser has no session at the app's host, so the proxy sends it on.
  const tls = { Accept: "text/html", "X-Forwarded-Proto": "https" };
  const asked = await gate.send("/forward-auth", {
    headers: {
      ...tls,
      "X-Forwarded-Host": "shop.other.test",
      "X-Forwarded-Uri": "/start?a=1",
    },
  });
  const open = (url: string, cookie: string) => {
    const { host, pathname, search } = new URL(url, AUTH);
    const headers = { ...tls, Host: host, Cookie: cookie };
    return gate.send(`${pathname}${search}`, { headers });
  };
  const begun = await open(asked.location ?? "", "");
  const [handoff = ""] = (begun.cookies[0] ?? "").split(";");
  const passed = await open(begun.location ?? "", `session=${session}`);
  assert.match(passed.location ?? "", /^https:\/\/shop\.other\.test\/login\/handoff\?/);
  const entered = await open(passed.location ?? "", handoff);
  assert.equal(entered.location, tile, "the person is asked for nothing");
  assert.ok(entered.session !== undefined);
});
