import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { send as sendTo } from "../support/client.ts";
import { startDemo } from "../support/demo.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Sends a request to this machine, whatever the system knows about the name of the host. */
const send: typeof sendTo = (url, sending = {}) => {
  const { host, port, pathname, search } = new URL(url);
  const headers = { Accept: "text/html", ...sending.headers };
  return sendTo(`http://127.0.0.1:${port}${pathname}${search}`, {
    ...sending,
    headers: { Host: host, ...headers },
  });
};

const photosOf = (url: string): string => url.replace("//", "//photos.");

test("guards the apps with the accounts that it prints", async (t) => {
  const { url, plansUrl, admin, member } = await startDemo(t);
  const photos = photosOf(url);
  const visitor = await send(`${photos}/?a=b`);
  assert.deepEqual(
    [visitor.status, visitor.location],
    [303, `${url}/login?return_to=${encodeURIComponent(`${photos}/?a=b`)}`],
  );
  const wrong = await send(`${url}/login`, { form: { ...member, password: "wrong" } });
  assert.equal(wrong.location, "/login?error=1");

  const entered = await send(`${url}/login`, { form: { ...member } });
  assert.equal(entered.location, "/");
  const { session } = entered;
  assert.ok(entered.cookies.some((line) => line.includes("Domain=demo.localhost")));
  const app = await send(`${photos}/`, { session, headers: { "Remote-User": "ada" } });
  assert.match(app.body, /Hello, ben/);
  assert.match(app.body, /<dt>Remote-Groups<\/dt><dd>family<\/dd>/);
  assert.match(String(app.headers["content-security-policy"]), /default-src 'none'/);
  assert.equal((await send(`${photos}/other`, { session })).status, 404);
  const icon = await send(`${photos}/icon.svg`, { session });
  assert.deepEqual([icon.status, icon.headers["content-type"]], [200, "image/svg+xml"]);
  const apps = (await send(`${url}/apps`, { session })).body;
  assert.ok(!apps.includes(plansUrl), apps);
  const refused = await send(`${plansUrl}/`, { session });
  assert.equal(refused.status, 403);
  assert.match(refused.body, /ben.*may not open.*Plans/s);

  const { session: ofAdmin } = await send(`${url}/login`, { form: { ...admin } });
  assert.match((await send(`${plansUrl}/`, { session: ofAdmin })).body, /Hello, ada/);
  assert.equal((await send(`${url}/account/people`, { session: ofAdmin })).status, 200);
  for (const Host of ["evil.example", "demo.localhost.evil.example", "x.demo.localhost"]) {
    assert.equal((await send(`${url}/login`, { headers: { Host } })).status, 421, Host);
  }
});

test("a name that a person chose is escaped in the pages of the apps", async (t) => {
  const { url, admin } = await startDemo(t);
  const { session } = await send(`${url}/login`, { form: { ...admin } });
  const { id: user } = JSON.parse((await send(`${url}/account/me`, { session })).body).user;
  const form = { user, username: `<i>&"%é,` };
  await send(`${url}/account/people/rename`, { session, form });
  const { body } = await send(`${photosOf(url)}/`, { session });
  assert.match(body, /<h1>Hello, &#60;i&#62;&#38;&#34;%é,<\/h1>/);
});

test("the link of the guest opens only the app for its group, once", async (t) => {
  const { url, plansUrl, guestLink } = await startDemo(t);
  const { session, location } = await send(guestLink, { form: {} });
  assert.equal(location, "/");
  const apps = (await send(`${url}/apps`, { session })).body;
  assert.deepEqual(apps.match(/class="tile" href="[^"]*"/g), [
    `class="tile" href="${photosOf(url)}/"`,
  ]);
  assert.equal((await send(`${photosOf(url)}/`, { session })).status, 200);
  assert.equal((await send(`${plansUrl}/`, { session })).status, 403);
  assert.equal((await send(guestLink, { form: {} })).status, 404);
});

test("the app with OpenID Connect accepts only the answer to its own question", async (t) => {
  const { url, member } = await startDemo(t);
  const { session } = await send(`${url}/login`, { form: { ...member } });
  const apps = (await send(`${url}/apps`, { session })).body;
  const [, notes = ""] = /class="tile" href="(http:\/\/localhost:\d+)\/"/.exec(apps) ?? [];
  const begin = async () => {
    const { location = "", cookies } = await send(`${notes}/`);
    const [Cookie = ""] = (cookies[0] ?? "").split(";");
    return { Cookie, asked: new URL(location) };
  };
  const { Cookie, asked } = await begin();
  const stateOf = (from: URL): string => from.searchParams.get("state") ?? "";
  assert.equal(asked.origin, url);
  assert.equal(asked.searchParams.get("code_challenge_method"), "S256");
  const finish = (state: string, headers: Readonly<Record<string, string>>) =>
    send(`${notes}/callback?state=${state}&code=x`, { headers });
  assert.equal((await finish(stateOf(asked), {})).status, 403, "another browser");
  assert.equal((await finish(stateOf((await begin()).asked), { Cookie })).status, 403);
  assert.equal((await finish(stateOf(asked), { Cookie })).status, 403, "a visit serves once");
  const again = await begin();
  const agreed = `${notes}/callback?state=${stateOf(again.asked)}&error=access_denied`;
  const refused = await send(agreed, { headers: { Cookie: again.Cookie } });
  assert.deepEqual([refused.status, /did not agree/.test(refused.body)], [403, true]);
});

test("ends at a signal and leaves no file", async (t) => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    const folder = await tempDir(t);
    const env = { TMPDIR: folder, HOME: folder, DATA_DIR: folder };
    const demo = await startDemo(t, env, folder);
    demo.child.kill(signal);
    const { code, signal: by, stderr } = await demo.ended;
    assert.deepEqual([code, by, stderr], [0, null, ""]);
    assert.deepEqual(await readdir(folder), []);
    await assert.rejects(send(`${demo.url}/login`));
  }
});
