import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Settings } from "../../src/gate/settings/settings.ts";
import { Unavailable } from "../../src/lib/fault.ts";
import { addApps, removeApp } from "../support/add-app.ts";
import { addKey } from "../support/add-key.ts";
import { addUser } from "../support/add-user.ts";
import type { Answer } from "../support/client.ts";
import { execute } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { fakeNodeRequest } from "../support/fake-node-request.ts";
import { type RunningGate, startConfigured, startGate } from "../support/gate.ts";
import { linkPath } from "../support/link.ts";
import { inSeconds, mint } from "../support/mint.ts";
import { authWith } from "../support/options.ts";
import { addTo, openStore } from "../support/store.ts";
import { assertNoIdentity, FORWARD_AUTH, PAGE, PUBLIC_URL } from "./forward-auth-asking.ts";

const PHOTOS = {
  id: "photos",
  name: "Photos & films",
  url: "https://photos.example.test/",
  groups: ["family"],
};
const BANK = { id: "bank", url: "https://bank.example.test/", factors: 2 };
const CAMERA = { id: "camera", url: "https://camera.example.test:8443/live", groups: ["camera"] };
const OPEN = { id: "open", url: "https://open.example.test/" };

/** A gate with these apps, the session of the owner, and that of ann, a member of family. */
async function startWithApps(t: TestContext, settings: Partial<Settings> = {}) {
  const { gate, session } = await startConfigured(t, { ...FORWARD_AUTH, ...settings });
  await addApps(gate, PHOTOS, BANK, CAMERA, OPEN);
  const ann = addUser(gate, "ann");
  execute(
    gate.databaseFile,
    "UPDATE latchkey_users SET groups = ',family,' WHERE username = 'ann'",
  );
  return { gate, session, ann };
}

/** What the gate says of a host, asked by a proxy. `asked` has the query and other headers. */
const ask = (
  gate: RunningGate,
  host: string,
  session: string | undefined,
  { query = "", headers = {}, from }: Asked = {},
): Promise<Answer> =>
  gate.send(`/forward-auth${query}`, {
    session,
    headers: { ...PAGE, "X-Forwarded-Host": host, ...headers },
    ...(from !== undefined && { from }),
  });

interface Asked {
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly from?: string;
}

const countLines = ({ serverLog }: RunningGate, text: string): number =>
  serverLog.filter(({ msg }) => String(msg).includes(text)).length;

test("the groups of the app at the requested host decide, in every spelling of the host", async (t) => {
  const { gate, session, ann } = await startWithApps(t);
  for (const host of [
    "photos.example.test",
    "PHOTOS.Example.test",
    "photos.example.test.",
    "photos.example.test:8443",
    "Photos.example.test.:443",
  ]) {
    assert.equal((await ask(gate, host, ann)).status, 200, host);
    assert.equal((await ask(gate, host, session)).status, 403, host);
    const quiet = await ask(gate, host, session, {
      query: "?deny=401",
      headers: { Accept: "*/*" },
    });
    assert.equal(quiet.status, 403, host);
    assertNoIdentity(quiet);
    const anonymous = await ask(gate, host, undefined);
    assert.match(anonymous.location ?? "", /^https:\/\/auth\.example\.test\/login/, host);
  }
  const elsewhere = ["other.example.test", "open.example.test", "x.photos.example.test"];
  for (const host of elsewhere) assert.equal((await ask(gate, host, session)).status, 200, host);
});

test("refuses a host whose app is not certain, once any app has a host", async (t) => {
  const { gate, ann } = await startWithApps(t);
  for (const host of [
    "photos%2eexample.test",
    "photos\u00ad.example.test",
    "photos.example.test..",
    ".photos.example.test",
    "other.example.test, photos.example.test",
    "other.example.test,photos.example.test",
    "photos.example.test/x",
    "photos.example.test:80:80",
    "user@photos.example.test",
    "[0:0:0:0:0:0:0:1]",
    `${"a.".repeat(200)}test`,
    "",
  ]) {
    for (const query of ["", "?deny=401", "?users=ann"]) {
      const refused = await ask(gate, host, ann, { query });
      assert.equal(refused.status, 403, host + query);
      assert.equal(refused.headers["remote-user"], undefined);
      assert.match(refused.body, /No app belongs to this address/);
    }
    const signedOut = await ask(gate, host, undefined);
    assert.ok(signedOut.location?.startsWith(`${PUBLIC_URL}/login`) === true, "sign in first");
    assert.equal((await ask(gate, host, undefined, { query: "?apps=only" })).status, 403, host);
  }
  for (const host of ["[::1]:8080", "127.0.0.1"])
    assert.equal((await ask(gate, host, ann)).status, 200, `${host} has no app`);
  const lines = countLines(gate, "the host of a request cannot be read");
  assert.ok(lines > 0 && lines <= 10, "the lines are bounded");
});

test("an untrusted peer cannot choose the app by X-Forwarded-Host", async (t) => {
  const { gate, session, ann } = await startWithApps(t, { allowedHosts: ["*"] });
  const from = "127.0.0.9";
  const claim = (Host: string, host: string, who: string) =>
    ask(gate, host, who, { from, headers: { Host } });
  // The peer is a proxy that is missing in TRUSTED_PROXIES, or the header is that of a client.
  assert.equal((await claim("photos.example.test", "open.example.test", session)).status, 403);
  assert.equal((await claim("127.0.0.1:3000", "photos.example.test", session)).status, 403);
  assert.equal((await claim("127.0.0.1:3000", "photos.example.test", ann)).status, 403);
  // Both headers name the same host.
  assert.equal((await claim("photos.example.test", "Photos.example.test:80", session)).status, 403);
  assert.equal((await claim("photos.example.test", "Photos.example.test:80", ann)).status, 200);
  const headers = { Host: "photos.example.test" };
  assert.equal((await gate.send("/forward-auth", { from, headers, session })).status, 403);
  assert.equal((await gate.send("/forward-auth", { from, headers, session: ann })).status, 200);
});

test("the page for an excluded user names the app", async (t) => {
  const { gate, session } = await startWithApps(t);
  const { body } = await ask(gate, "photos.example.test", session);
  assert.ok(body.includes("<strong><bdi>Photos &amp; films</bdi></strong>"), body);
  assert.match(body, /<h1>No access<\/h1>/);
});

test("the app and the lists of the proxy must both admit", async (t) => {
  const { gate, session, ann } = await startWithApps(t);
  const status = async (query: string, who: string, host = "photos.example.test") =>
    (await ask(gate, host, who, { query })).status;
  assert.equal(await status("?users=ann", ann), 200);
  assert.equal(await status("?users=owner", ann), 403);
  assert.equal(await status("?users=owner", session), 403);
  assert.equal(await status("?groups=admins", session), 403);
  assert.equal(await status("?groups=admins", ann), 403);
  assert.equal(await status("?groups=admins", session, "open.example.test"), 200);
  assert.equal(await status("?groups=admins", ann, "open.example.test"), 403);
});

test("an app that needs a second factor leads to the sign-in that asks for it", async (t) => {
  const { gate, session } = await startWithApps(t);
  const host = "bank.example.test";
  const { status, location } = await ask(gate, host, session);
  assert.equal(status, 303);
  assert.match(location ?? "", /^https:\/\/auth\.example\.test\/login\?factor=2&return_to=/);
  const byNginx = await ask(gate, host, session, { query: "?deny=401" });
  assert.deepEqual([byNginx.status, byNginx.location], [401, location]);
  assert.equal((await ask(gate, host, session, { headers: { Accept: "*/*" } })).status, 401);
});

test("a guest opens only the apps that require a group of the guest", async (t) => {
  const { gate } = await startWithApps(t);
  const path = await linkPath(gate, "guest", "plumber", "--groups", "camera");
  const { session } = await gate.send(path, { form: {} });
  const status = async (host: string, query = "") =>
    (await ask(gate, `${host}.example.test`, session, { query })).status;
  assert.equal(await status("camera"), 200);
  assert.equal(await status("camera", "?groups=camera"), 200);
  assert.equal(await status("camera", "?groups=family"), 403);
  assert.equal(await status("camera", "?users=plumber"), 403);
  for (const host of ["photos", "open", "bank", "other"])
    assert.equal(await status(host), 403, host);
  // The app has no groups, so it is open to all users except guests.
  assert.equal(await status("open", "?groups=camera"), 403);
});

test("an API key opens the apps of its account, with the factor that the app needs", async (t) => {
  const { gate } = await startWithApps(t);
  const key = await addKey(gate);
  const byKey = (host: string) =>
    ask(gate, host, undefined, { headers: { Authorization: `Bearer ${key}`, Accept: "*/*" } });
  const open = await byKey("open.example.test");
  assert.deepEqual([open.status, open.headers["latchkey-key"]], [200, "accepted"]);
  assert.equal((await byKey("photos.example.test")).status, 403);
  const weak = await byKey("bank.example.test");
  assert.equal(weak.status, 401);
  assert.match(weak.body, /made without a second factor/);
});

test("below /forward-auth/, the app decides by Host", async (t) => {
  const { gate, session, ann } = await startWithApps(t, { allowedHosts: ["*"] });
  const status = async (Host: string, who: string, others = {}) => {
    const headers = { ...PAGE, "X-Forwarded-Host": "open.example.test", Host, ...others };
    return (await gate.send("/forward-auth/page", { headers, session: who })).status;
  };
  assert.equal(await status("photos.example.test", ann), 200);
  assert.equal(await status("photos.example.test", session), 403);
  assert.equal(await status("open.example.test", session), 200);
  assert.equal((await gate.send("/forward-auth/?apps=only", { session })).status, 400);
});

for (const [how, settings, query] of [
  ["APPS=only", { apps: "only" }, ""],
  ["apps=only in the query", {}, "?apps=only"],
] as const) {
  test(`${how} refuses hosts without an app, with a page or a line that says so`, async (t) => {
    const { gate, session, ann } = await startWithApps(t, settings);
    const at = (host: string, who?: string, headers = {}) =>
      ask(gate, `${host}.example.test`, who, { query, headers });
    assert.equal((await at("open", session)).status, 200);
    assert.equal((await at("photos", ann)).status, 200);
    assert.equal((await at("photos", session)).status, 403);
    const page = await at("Other", session);
    assert.equal(page.status, 403);
    assert.match(page.body, /No app belongs to <strong><bdi>other\.example\.test</);
    assert.ok(page.body.includes(`href="${PUBLIC_URL}/`), "the files come from the gate");
    assert.doesNotMatch(page.body, /<form|\/login"/);
    assert.equal(page.headers["remote-user"], undefined);
    // Also for the gate's own host, of which a proxy never asks unless an app is there.
    assert.equal((await at("auth", session)).status, 403);
    const line = await at("other", undefined, { Accept: "*/*" });
    assert.deepEqual([line.status, line.body], [403, "no app belongs to other.example.test"]);
    const byNginx = await ask(gate, "other.example.test", session, {
      query: `?deny=401${query.replace("?", "&")}`,
    });
    assert.equal(byNginx.status, 403);
    for (let i = 0; i < 20; i += 1) await at("other");
    const lines = countLines(gate, "no app has this host");
    assert.ok(lines > 0 && lines <= 10, "the lines are bounded");
  });
}

test("APPS=only without any app refuses every host, but not the setup", async (t) => {
  const { gate, session } = await startConfigured(t, { ...FORWARD_AUTH, apps: "only" });
  assert.equal((await ask(gate, "app.example.test", session)).status, 403);
  const empty = await startGate(t, { ...FORWARD_AUTH, apps: "only" });
  const { location } = await ask(empty, "app.example.test", undefined);
  assert.match(location ?? "", /\/setup/);
});

test("without any app that has a host, every host is admitted as before", async (t) => {
  const { gate, session } = await startConfigured(t, FORWARD_AUTH);
  await addApps(gate, { id: "oidc" });
  for (const host of ["app.example.test", "photos%2eexample.test", "a, b", ""])
    assert.equal((await ask(gate, host, session)).status, 200, host);
});

test("two apps at one host must both admit", async (t) => {
  const { gate, session, ann } = await startWithApps(t);
  await addApps(
    gate,
    { id: "all-photos", url: "https://photos.example.test/all" },
    { id: "z", url: "https://open.example.test/z", groups: ["family"] },
  );
  for (const host of ["photos.example.test", "open.example.test"]) {
    assert.equal((await ask(gate, host, ann)).status, 200);
    assert.equal((await ask(gate, host, session)).status, 403);
  }
});

test("of two apps at one host, one that is turned off leaves the other open", async (t) => {
  const { gate, session, ann } = await startWithApps(t);
  await addApps(
    gate,
    { id: "albums", url: "https://photos.example.test/albums/start", off: 1 },
    { id: "talk", url: "https://open.example.test/talk", off: 1, groups: ["family"], factors: 2 },
    { id: "notes", url: "https://open.example.test/notes", off: 1 },
  );
  const open = async (uri: string | undefined, who = ann, asked: Asked = {}) => {
    const headers = { ...asked.headers, ...(uri !== undefined && { "X-Forwarded-Uri": uri }) };
    return (await ask(gate, "photos.example.test", who, { ...asked, headers })).status;
  };
  for (const uri of ["/", "/x?y=/albums", "/x/albums", "/albumset", "/a.css", "/Z%C3%BCrich"])
    assert.equal(await open(uri), 200, uri);
  for (const uri of [
    ...["/albums", "/albums/", "/albums/1?x", "/ALBUMS/1", "/albums?/", "/albums/../x"],
    ...["/x/../albums", "/%61lbums", "//albums", "/x/%2e%2e/albums", "/x%2f..%2falbums", "/x;/"],
    ...["", "albums", "?", "/x, /albums", "/\\albums", "https://photos.example.test/x"],
  ]) {
    assert.equal(await open(uri), 403, uri);
    const asset = { headers: { Accept: "*/*" }, query: "?deny=401" };
    assert.equal(await open(uri, ann, asset), 403, uri);
  }
  assert.equal(await open("/", session), 403, "the groups of the other app");
  const { "X-Forwarded-Uri": _, ...headers } = PAGE;
  const host = { "X-Forwarded-Host": "photos.example.test" };
  const send = (path: string, sending: object) =>
    gate.send(path, { session: ann, ...sending }).then(({ status }) => status);
  assert.equal(await send("/forward-auth", { headers: { ...headers, ...host } }), 403, "no path");
  // The path that an untrusted peer claims does not count.
  const claimed = { ...PAGE, Host: "photos.example.test", ...host, "X-Forwarded-Uri": "/x" };
  assert.equal(await send("/forward-auth", { headers: claimed }), 200);
  assert.equal(await send("/forward-auth", { headers: claimed, from: "127.0.0.9" }), 403);
  const envoy = { headers: { Host: "photos.example.test", "X-Forwarded-Uri": "/x" } };
  assert.equal(await send("/forward-auth/x", envoy), 200);
  assert.equal(await send("/forward-auth/albums/1", envoy), 403);
  // Turning an app off admits nobody: its groups and its factor still count.
  const atOpen = async (who: string) => (await ask(gate, "open.example.test", who)).status;
  assert.deepEqual([await atOpen(session), await atOpen(ann)], [403, 303]);
  execute(gate.databaseFile, "UPDATE latchkey_apps SET off = 1 WHERE id = 'photos'");
  await eventually(async () => ((await open("/x")) === 403 ? true : undefined));
});

test("a session of another domain opens the app of its host by the groups of the app", async (t) => {
  const { gate } = await startWithApps(t);
  await addApps(gate, { id: "wiki", name: "Wiki", url: "https://wiki.other.test", groups: ["x"] });
  const at = (host: string) =>
    mint({ user_id: "id of ann", exp: inSeconds(3_600) }, { header: { alg: "HS256", host } });
  const host = "wiki.other.test";
  const refused = await ask(gate, host, at(host));
  assert.equal(refused.status, 403);
  assert.match(refused.body, /<bdi>Wiki<\/bdi>/);
  assert.match(refused.body, /action="\/login\/handoff"/, "the sign-out at that host");
  assert.equal((await ask(gate, "photos.example.test", at("photos.example.test"))).status, 200);
  assert.equal((await ask(gate, "photos.example.test", at(host))).status, 303);
});

test("admits nobody while the apps cannot be read", async (t) => {
  const store = await openStore(t);
  let fault: Error | undefined;
  const list = async () => {
    if (fault !== undefined) throw fault;
    return store.apps.list();
  };
  const auth = authWith({
    ...{ store: { ...store, apps: { ...store.apps, list } }, standalone: true },
    hosts: { trustedProxies: ["127.0.0.1"] },
  });
  t.after(() => auth.close());
  const owner = await addTo(store, "owner");
  const session = await auth.sessions.create(owner.id);
  const headers = { cookie: session?.cookie, "x-forwarded-host": "app.example.test" };
  const answer = async (asked: object = headers) => {
    const socket = { remoteAddress: "127.0.0.1" };
    return auth.adapter.answer(
      fakeNodeRequest({ socket, headers: asked, method: "GET", url: "/forward-auth?deny=401" }),
    );
  };
  fault = new Unavailable("store_away", "the store is away", 5);
  const away = await answer();
  assert.deepEqual([away.status, away.headers["Retry-After"]], [503, "5"]);
  fault = new Error("a fault");
  const signedOut = await answer({ accept: "text/html" });
  assert.match(signedOut.headers.Location ?? "", /^\/login/, "signed out, it needs no apps");
  const failed = await answer();
  assert.deepEqual([failed.status, failed.headers["Remote-User"]], [500, undefined]);
  fault = undefined;
  assert.equal((await answer()).status, 200);
});

test("a change by another process counts while requests run", async (t) => {
  const { gate, session } = await startWithApps(t);
  const host = "photos.example.test";
  const query = "?apps=only";
  assert.equal((await ask(gate, host, session, { query })).status, 403);
  execute(gate.databaseFile, "UPDATE latchkey_apps SET groups = ',admins,' WHERE id = 'photos'");
  await eventually(async () =>
    (await ask(gate, host, session, { query })).status === 200 ? true : undefined,
  );
  await removeApp(gate, "photos");
  await eventually(async () => {
    const { status } = await ask(gate, host, session, { query });
    return status === 403 ? true : undefined;
  });
});
