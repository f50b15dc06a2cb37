import assert from "node:assert/strict";
import { test } from "node:test";
import { honoAuth } from "../../src/adapters/hono.ts";
import { getWords } from "../../src/pages/words.ts";
import { type startApp, startConfiguredApp } from "../support/app.ts";
import { openAuth } from "../support/auth.ts";
import { OWNER, startConfigured } from "../support/gate.ts";

test("answers an aborted form with 400 and its reason, without a server log line", async (t) => {
  const { auth, log } = await openAuth(t);
  for (const path of ["/setup", "/login"]) {
    const answer = await honoAuth(auth).routes.request(path, {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: new ReadableStream({ pull: (body) => body.error(new Error("the client went away")) }),
      duplex: "half",
    } as RequestInit);
    assert.equal(answer.status, 400);
    assert.ok((await answer.text()).includes(getWords("en").messages.formUnreadable));
  }
  assert.deepEqual(log, []);
});

test("the routes alone answer unknown paths, for allowed hosts only", async (t) => {
  const { auth } = await openAuth(t, { hosts: { allowed: ["home.test"] } });
  const statusAt = async (host: string): Promise<number> =>
    (await honoAuth(auth).routes.request(`http://${host}/nothing`)).status;
  assert.deepEqual([await statusAt("home.test"), await statusAt("other.test")], [404, 421]);
});

const CHANGE = "/.well-known/change-password";
const CODES = ["begin", "confirm", "off"].map((name) => `/account/codes/${name}`);
const PASSKEYS = ["/login/passkey", "/account/passkeys/add", "/account/passkeys/remove"];
const SESSIONS = ["/account/sessions/end"];
const OPTIONAL = [...SESSIONS, ...CODES, ...PASSKEYS];

test("forms of the home page refuse other sites, hosts and strangers", async (t) => {
  const { gate, session } = await startConfigured(t, { allowedHosts: ["127.0.0.1"] });
  for (const path of [...OPTIONAL, "/account/keys/add", "/account/keys/revoke"]) {
    const post = (headers: Readonly<Record<string, string>>) =>
      gate.send(path, { session, form: {}, headers });
    assert.equal((await post({ "Sec-Fetch-Site": "cross-site" })).status, 403, path);
    assert.equal((await post({ Host: "attacker.example" })).status, 421, path);
    const signedOut = await gate.send(path, { form: {} });
    const expected = path === "/login/passkey" ? [200, undefined] : [303, "/login"];
    assert.deepEqual([signedOut.status, signedOut.location], expected, path);
  }
  assert.equal((await gate.send("/account/profile", { session })).status, 200);
});

test("a trusted origin may post the sign-out, and no other form", async (t) => {
  const origin = "https://app.example.org";
  const hosts = { trustedOrigins: [origin], publicUrl: "https://auth.example.org" };
  const { app, session } = await startConfiguredApp(t, {
    hosts,
    people: true,
    guards: { keys: true },
    standalone: true,
    returnDomains: ["other.net"],
  });
  const posted = (path: string, site: string) =>
    app.send(path, { session, form: {}, headers: { Origin: origin, "Sec-Fetch-Site": site } });
  // A proxy asks below /forward-auth/, with any method.
  const others = ["/logout", "/forward-auth/*"];
  const paths = [...app.auth.adapter.paths, "/link/token"].filter((path) => !others.includes(path));
  const statuses = await Promise.all(
    paths.flatMap((path) =>
      ["same-site", "cross-site"].map(async (site) => (await posted(path, site)).status),
    ),
  );
  assert.deepEqual([...new Set(statuses)].sort(), [403, 405]);
  assert.ok(statuses.filter((status) => status === 403).length >= 2 * 25);
  const own = { Origin: hosts.publicUrl };
  const form = await app.send("/account/people/groups", { session, form: {}, headers: own });
  assert.equal(form.status, 303, "the public URL may post every form");
  const out = await posted("/logout", "same-site");
  assert.deepEqual([out.status, out.location, out.session], [303, "/login", ""]);
});

/** The forms that an app with these options has, and where it sends those who change passwords. */
const offers: readonly (readonly [
  Parameters<typeof startApp>[1],
  readonly string[],
  string | undefined,
])[] = [
  [{}, OPTIONAL, undefined],
  [{ sessions: { list: false } }, [...CODES, ...PASSKEYS], undefined],
  [{ signIn: { codes: false } }, [...SESSIONS, ...PASSKEYS], undefined],
  [{ signIn: { passkeys: false } }, [...SESSIONS, ...CODES], undefined],
  [{ homePath: null, standalone: true }, [...SESSIONS, ...PASSKEYS], undefined],
  [{ standalone: true }, OPTIONAL, "/account/sign-in#change-password"],
];

for (const [options, paths, changed] of offers) {
  test(`with ${JSON.stringify(options)}, answers the forms that it offers`, async (t) => {
    const { app, session } = await startConfiguredApp(t, options);
    assert.deepEqual(OPTIONAL.filter(app.auth.adapter.owns), paths);
    assert.equal((await app.send("/login", { form: OWNER })).location, "/");
    for (const path of paths) {
      const get = await app.send(path, { session });
      assert.deepEqual([get.status, get.headers.allow], [405, "POST"], path);
      const post = await app.send(path, { session, form: {} });
      assert.ok(post.status < 500, `${path}: ${post.status}`);
    }
    const { status, location } = await app.send(CHANGE);
    assert.deepEqual([status, location], changed ? [303, changed] : [404, undefined]);
  });
}

test("leaves the paths of the gate to the app", async (t) => {
  const { auth } = await openAuth(t);
  const optional = ["/forward-auth", "/healthz", "/readyz", "/favicon.svg", "/robots.txt"];
  assert.deepEqual(optional.filter(auth.adapter.owns), []);
  const served = await openAuth(t, { standalone: true });
  assert.deepEqual(optional.filter(served.auth.adapter.owns), optional);
  const whole = optional.map((path) => `HTTP://app.test${path}?as=to-a-proxy`);
  assert.deepEqual(whole.filter(served.auth.adapter.owns), whole);
});
