import assert from "node:assert/strict";
import { test } from "node:test";
import { frameworks } from "../adapters/frameworks.ts";
import { SETUP_FORM, startApp as startAdapter } from "../adapters/running.ts";
import { startApp } from "../support/app.ts";
import { countOf } from "../support/database.ts";
import { type RunningGate, startConfigured, startGate } from "../support/gate.ts";
import { postRaw, sendRaw } from "../support/raw.ts";

/** The headers of a DNS rebinding attack: a page whose host name now resolves to this machine. */
const rebound = (host: string) => ({
  Host: host,
  Origin: `http://${host}`,
  "Sec-Fetch-Site": "same-origin",
});

const portOf = ({ url }: { readonly url: string }): string => new URL(url).port;

const users = ({ databaseFile }: RunningGate): number => countOf(databaseFile, "latchkey_users");

const statusAt = async (gate: RunningGate, host: string, path = "/setup"): Promise<number> =>
  (await gate.send(path, { headers: { Host: host } })).status;

test("rejects a setup through a rebound host name before an account exists", async (t) => {
  const gate = await startGate(t);
  const host = `evil.example:${portOf(gate)}`;
  const posted = await postRaw(gate.url, "/setup", SETUP_FORM, rebound(host));
  assert.match(posted, /^HTTP\/1\.1 421 /);
  assert.doesNotMatch(posted, /^set-cookie:/im);
  const shown = await gate.send("/setup", { headers: rebound(host) });
  assert.equal(shown.status, 421);
  assert.match(shown.body, /ALLOWED_HOSTS or PUBLIC_URL/);
  assert.doesNotMatch(shown.body, /<form/);
  assert.equal(users(gate), 0);
});

test("without an account, all paths except the setup answer for any host", async (t) => {
  const gate = await startGate(t);
  for (const [path, status] of [
    ["/login", 200],
    ["/", 303],
    ["/latchkey.css", 200],
    ["/favicon.svg", 200],
    ["/healthz", 200],
    ["/nowhere", 404],
  ] as const) {
    assert.equal(await statusAt(gate, "evil.example", path), status, path);
  }
});

test("with an account, a loopback gate answers for any host", async (t) => {
  const { gate } = await startConfigured(t);
  const headers = { Host: "home.example.org" };
  const again = await gate.send("/setup", { headers, form: SETUP_FORM });
  assert.deepEqual([again.status, again.location], [303, "/login"]);
  assert.equal((await gate.send("/setup", { headers })).location, "/login");
  assert.equal((await gate.signIn({}, { headers })).location, "/");
});

const LISTED = { allowedHosts: ["example.test"] } as const;

test("with ALLOWED_HOSTS, returns 421 for every other host, also with an account", async (t) => {
  const gate = await startGate(t, LISTED);
  const everything = ["/setup", "/login", "/", "/nowhere"];
  for (const path of [...everything, "/.well-known/change-password"]) {
    for (const host of ["evil.example", "localhost", new URL(gate.url).host, "a.example.test"]) {
      assert.equal(await statusAt(gate, host, path), 421, `${host} ${path}`);
    }
    assert.notEqual(await statusAt(gate, "EXAMPLE.test.:1", path), 421, path);
  }
  for (const path of ["/setup", "/login", "/logout", "/account/password"]) {
    const posted = await gate.send(path, { form: SETUP_FORM, headers: rebound("evil.example") });
    assert.deepEqual([posted.status, posted.cookies], [421, []], path);
  }
  assert.equal(users(gate), 0);
  const headers = rebound("example.test");
  assert.equal((await gate.send("/setup", { form: SETUP_FORM, headers })).location, "/");
  assert.equal((await gate.signIn({}, { headers: rebound("evil.example") })).status, 421);
});

test("the page for a host that is not allowed names the host, without links", async (t) => {
  const gate = await startGate(t, LISTED);
  const named = async (host: string): Promise<string> => {
    const { body } = await gate.send("/login", { headers: { Host: host } });
    assert.match(body, /<h1>Wrong address<\/h1>/);
    assert.doesNotMatch(body, /<a /);
    return /<strong><bdi>(.*?)<\/bdi>/.exec(body)?.[1] ?? body;
  };
  assert.equal(await named("Evil.example:8080"), "evil.example");
  assert.equal(await named("<b>&"), "&lt;b&gt;&amp;");
});

test("only an operator on this machine reads which settings would allow a host", async (t) => {
  const publicUrl = "https://auth.example.test";
  const gate = await startGate(t, { allowedHosts: ["example.test"], publicUrl });
  const shown = async (headers: Readonly<Record<string, string>>) =>
    (await gate.send("/login", { headers: { Host: "evil.example", ...headers } })).body;
  const settings = /ALLOWED_HOSTS|PUBLIC_URL/;
  assert.match(await shown({}), settings);
  for (const headers of [
    { "X-Forwarded-For": "192.0.2.1" },
    { "X-Forwarded-For": "127.0.0.1" },
    { "X-Forwarded-For": "" },
  ]) {
    const body = await shown(headers);
    assert.doesNotMatch(body, settings);
    assert.ok(body.includes("This is not the address of Latchkey."));
    assert.ok(!body.includes("evil.example"));
    assert.match(
      body,
      /<a class="button" href="https:\/\/auth\.example\.test">Go to auth\.example\.test</,
    );
    assert.equal(body.match(/<a /g)?.length, 1, "no other link, which would be to the wrong host");
  }
  const logged = gate.serverLog.filter(({ host }) => host === "evil.example");
  assert.equal(logged.length, 4);
  assert.match(JSON.stringify(logged), settings);
});

test("ALLOWED_HOSTS does not apply to assets, health checks and forward auth", async (t) => {
  const gate = await startGate(t, LISTED);
  for (const [path, status] of [
    ["/healthz", 200],
    ["/readyz", 200],
    ["/forward-auth", 401],
  ] as const) {
    assert.equal(await statusAt(gate, "10.0.0.7:3000", path), status, path);
  }
});

test("treats a request without a Host header as one for localhost", async (t) => {
  const statusOf = async (gate: RunningGate): Promise<string> =>
    (await sendRaw(gate.url, "GET /setup HTTP/1.0\r\n\r\n")).slice(9, 12);
  assert.equal(await statusOf(await startGate(t)), "200");
  assert.equal(await statusOf(await startGate(t, LISTED)), "421");
  assert.equal(await statusOf(await startGate(t, { allowedHosts: ["localhost"] })), "200");
});

for (const framework of frameworks) {
  test(`${framework.name}: an app on loopback rejects a rebound setup`, async (t) => {
    const options = { hosts: { allowed: "loopback-setup" }, basePath: "/auth" } as const;
    const app = await startAdapter(t, framework, options);
    const headers = rebound(`evil.example:${portOf(app)}`);
    for (const sending of [{ headers }, { headers, form: SETUP_FORM }]) {
      assert.equal((await app.send("/auth/setup", sending)).status, 421);
    }
    assert.equal(countOf(app.databaseFile, "latchkey_users"), 0);
    assert.equal((await app.send("/auth/setup", { form: SETUP_FORM })).location, "/");
    assert.equal((await app.send("/auth/setup", { headers })).location, "/auth/login");
  });
}

test("the page for another host knows whether there is an account", async (t) => {
  const error = ({ NeedsSetup }: { NeedsSetup: boolean }) => String(NeedsSetup);
  const hosts = { allowed: ["127.0.0.1"] };
  const app = await startApp(t, { hosts, pages: { error } });
  const shown = async (): Promise<string> => {
    const { status, body } = await app.send("/login", { headers: { Host: "evil.example" } });
    return `${status} ${body}`;
  };
  assert.equal(await shown(), "421 true");
  await app.send("/setup", { form: SETUP_FORM });
  assert.equal(await shown(), "421 false");
});

test("an app's allowed hosts apply to Latchkey's paths only", async (t) => {
  const [framework] = frameworks;
  assert.ok(framework !== undefined);
  const app = await startAdapter(t, framework, { hosts: { allowed: ["example.test"] } });
  app.addAccount();
  assert.equal((await app.send("/login")).status, 421);
  assert.equal((await app.send("/login", { headers: { Host: "example.test" } })).status, 200);
  assert.equal((await app.send("/who")).status, 200);
});
