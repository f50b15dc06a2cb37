import assert from "node:assert/strict";
import { test } from "node:test";
import { renderProxy } from "../../src/cli/proxy.ts";
import { readSettings } from "../../src/gate/settings/settings.ts";
import { addApps } from "../support/add-app.ts";
import { addUser } from "../support/add-user.ts";
import { execute } from "../support/database.ts";
import { openPage } from "./browser.ts";
import { forEachProxy } from "./each.ts";
import { withPlaces } from "./examples.ts";
import { startRecordingApp } from "./recording-app.ts";
import { startSite } from "./site.ts";

const APPS = [
  { id: "app", host: "app", groups: ["admins"], upstream: "http://127.0.0.1:8080" },
  { id: "wiki", host: "my_wiki", groups: ["family"], upstream: "http://localhost:8081" },
  { id: "spare", host: "a".repeat(63), groups: ["family"], upstream: "http://127.0.0.1:8080" },
];

const appsBelow = (domain: string) =>
  APPS.map(({ host, ...app }) => ({
    ...app,
    name: `The ${app.id}`,
    url: `https://${host}.${domain}/`,
    createdAt: new Date(0),
  }));

/** What `latchkey proxy` prints for these apps. */
function printApps(proxy: string): string {
  const env = { PUBLIC_URL: "https://auth.example.org", COOKIE_DOMAIN: "example.org" };
  const { settings } = readSettings({ flags: {}, envFile: undefined, env });
  const { text, warnings } = renderProxy(proxy, settings, {}, appsBelow("example.org"));
  assert.deepEqual(warnings, []);
  return text;
}

forEachProxy((proxy) => {
  test(`${proxy.page}: each of all apps admits its own groups, and other hosts are refused`, async (t) => {
    const wiki = await startRecordingApp(t);
    const configuration = withPlaces(printApps(proxy.page), { "localhost:8081": wiki.place });
    const all: typeof proxy = {
      ...proxy,
      start: (context, _, places) => proxy.start(context, configuration, places),
    };
    const site = await startSite(t, all, "Two hosts");
    await addApps(site.gate, ...appsBelow("example.test"));
    const owner = await site.gate.setUp();
    const ann = addUser(site.gate, "ann");
    execute(
      site.gate.databaseFile,
      "UPDATE latchkey_users SET groups = ',family,' WHERE username = 'ann'",
    );
    const wikiUrl = site.appUrl.replace("//app.", "//my_wiki.");
    for (const [url, app, member, other, name] of [
      [site.appUrl, site.app, owner, ann, "The app"],
      [wikiUrl, wiki, ann, owner, "The wiki"],
    ] as const) {
      const page = `${url}/page`;
      const redirected = await openPage(site, page);
      const target = encodeURIComponent(page);
      assert.equal(redirected.location, `${site.gateUrl}/login?return_to=${target}`);
      assert.equal((await openPage(site, page, { session: member })).body, "the application");
      const refused = await openPage(site, page, { session: other });
      assert.equal(refused.status, 403);
      assert.ok(refused.body.includes(`<bdi>${name}</bdi>`), refused.body);
      assert.equal(app.arrivals.length, 1);
    }
    const { host } = new URL(wikiUrl);
    const spellings = [host.toUpperCase(), host.replace(":", ".:"), host.replace("_", "%5f")];
    const unknown = [
      "other.example.test",
      "example.test",
      "x.app.example.test",
      "app.example.test.",
    ];
    const claims = { "X-Forwarded-Host": "app.example.test" };
    for (const Host of [host, ...spellings, ...unknown]) {
      const { body } = await openPage(site, `${wikiUrl}/page`, {
        session: owner,
        headers: { Host, ...claims },
      });
      if (!Host.startsWith("app.")) assert.notEqual(body, "the application", Host);
    }
    assert.equal(wiki.arrivals.length, 1);
  });
});
