import assert from "node:assert/strict";
import { test } from "node:test";
import { createKeyText } from "../../src/identity/key-text.ts";
import { addKey } from "../support/add-key.ts";
import { addUser } from "../support/add-user.ts";
import { outputOf } from "../support/command.ts";
import { eventually } from "../support/eventually.ts";
import { startConfigured } from "../support/gate.ts";
import { BROWSER, FORWARD_AUTH, type Headers, PAGE } from "./forward-auth-asking.ts";

const basic = (text: string, name = "owner"): string => `Basic ${btoa(`${name}:${text}`)}`;
const HOST = { "X-Forwarded-Host": "feeds.example.test:8443" };

test("a key opens apps as its account, and the answer asks to remove it", async (t) => {
  const { gate } = await startConfigured(t, FORWARD_AUTH);
  const key = await addKey(gate);
  const ask = (path: string, Authorization: string, headers: Headers = {}, session?: string) =>
    gate.send(`/forward-auth${path}`, { headers: { Authorization, ...headers }, session });
  for (const given of [`Bearer ${key}`, basic(key), basic(key, "anyone"), basic(key, "")]) {
    for (const query of ["", "?groups=admins", "?users=owner&deny=401&authorization=pass"]) {
      const { status, headers, cookies } = await ask(query, given);
      assert.deepEqual([status, headers["remote-user"], cookies], [200, "owner", []]);
      assert.deepEqual([headers["remote-groups"], headers["latchkey-key"]], ["admins", "accepted"]);
      assert.equal(headers.authorization, undefined, "the proxy removes it");
    }
    assert.equal((await ask("?users=other", given)).status, 403);
  }
  const guest = addUser(gate, "guest");
  const both = await ask("", `Bearer ${key}`, {}, guest);
  assert.equal(both.headers["remote-user"], "owner", "the key alone decides");
  const wrong = await ask("", `Bearer ${createKeyText()}`, BROWSER, guest);
  assert.deepEqual([wrong.status, wrong.headers["remote-user"]], [401, undefined]);
  const other = await ask("", basic("secret"), {}, guest);
  assert.deepEqual([other.status, other.headers["remote-user"]], [200, "guest"]);
  assert.equal(other.headers["latchkey-key"], undefined);
  assert.equal(other.headers.authorization, undefined);
  const passed = await ask("?authorization=pass", basic("secret"), {}, guest);
  assert.equal(passed.headers.authorization, basic("secret"), "it is for the app");
  const without = await gate.send("/forward-auth?authorization=pass", { session: guest });
  assert.deepEqual([without.status, without.headers.authorization], [200, undefined]);
});

test("a wrong key gets 401 with a challenge, and 429 after five in a minute", async (t) => {
  const { gate } = await startConfigured(t, FORWARD_AUTH);
  const key = await addKey(gate);
  const from = (text: string, address: string, query = "") =>
    gate.send(`/forward-auth${query}`, {
      headers: { ...PAGE, "X-Forwarded-For": address, Authorization: text },
    });
  const address = "192.0.2.7";
  for (const text of ["Bearer latchkey_x", basic(`${key}x`), `Bearer ${createKeyText()}`]) {
    const { status, headers, location } = await from(text, address);
    assert.deepEqual([status, location], [401, undefined], text);
    const scheme = text.startsWith("Basic") ? /^Basic realm=/ : /^Bearer error="invalid_token"$/;
    assert.match(String(headers["www-authenticate"]), scheme);
  }
  for (let i = 0; i < 2; i += 1) await from("Bearer latchkey_x", address);
  for (const [query, status] of [
    ["", 429],
    ["?deny=401", 401],
  ] as const) {
    const limited = await from(`Bearer ${createKeyText()}`, address, query);
    assert.deepEqual([limited.status, limited.headers["retry-after"]], [status, "60"]);
  }
  assert.equal((await from(`Bearer ${key}`, address)).status, 200, "a right key");
  assert.equal((await from("Bearer latchkey_x", "192.0.2.8")).status, 401);
  const signIn = await gate.signIn(undefined, { headers: { "X-Forwarded-For": address } });
  assert.equal(signIn.location, "/", "the limit of sign-ins is another one");
  const lines = gate.serverLog.filter((line) => line.address === address);
  const of = (msg: string) =>
    lines.filter((line) => line.msg === msg).map(({ problem }) => problem);
  const refusals = ["mistyped", "mistyped", "unknown", "mistyped", "mistyped"];
  assert.deepEqual(of("key refused"), refusals);
  assert.equal(of("key rate-limited").length, 2);
  assert.ok(!JSON.stringify(gate.serverLog).includes("latchkey_x"));
});

test("a key with hosts opens these only, and believes a trusted proxy alone", async (t) => {
  const { gate } = await startConfigured(t, { ...FORWARD_AUTH, allowedHosts: ["*"] });
  const key = await addKey(gate, "--hosts", "feeds.example.test");
  const Authorization = `Bearer ${key}`;
  const ask = async (headers: Headers, from?: string) =>
    (
      await gate.send("/forward-auth", {
        headers: { Authorization, ...headers },
        ...(from && { from }),
      })
    ).status;
  assert.equal(await ask(HOST), 200);
  assert.equal(await ask({ Host: "FEEDS.example.test." }), 200);
  for (const host of [
    "other.example.test",
    "feeds.example.test.evil.test",
    "a, feeds.example.test",
    "",
  ]) {
    assert.equal(await ask({ ...HOST, "X-Forwarded-Host": host }), 401, host);
  }
  assert.equal(await ask(HOST, "127.0.0.9"), 401, "not a proxy");
  const { body } = await gate.send("/forward-auth", { headers: { Authorization } });
  assert.equal(body, "this key does not open this host");
});

test("a key with hosts does not open one that a URL parser makes one of them", async (t) => {
  const { gate } = await startConfigured(t, { ...FORWARD_AUTH, allowedHosts: ["*"] });
  const key = await addKey(gate, "--hosts", "feeds.example.test");
  const headers = { Authorization: `Bearer ${key}` };
  for (const host of ["feeds%2eexample.test", "feeds\u00ad.example.test"]) {
    for (const name of ["X-Forwarded-Host", "Host"]) {
      const { status } = await gate.send("/forward-auth", {
        headers: { ...headers, [name]: host },
      });
      assert.equal(status, 401, `${name}: ${host}`);
    }
  }
});

test("a key opens nothing of Latchkey itself", async (t) => {
  const { gate } = await startConfigured(t, { trustedProxies: ["127.0.0.1"] });
  const headers = { Authorization: `Bearer ${await addKey(gate)}` };
  for (const path of ["/", "/account/", "/account/me"]) {
    const { status, body } = await gate.send(path, { headers });
    assert.ok(status === 303 || status === 401 || status === 404, path);
    assert.ok(!body.includes("owner"), path);
  }
  for (const path of ["/account/password", "/account/sessions/end", "/account/codes/begin"]) {
    const { location } = await gate.send(path, { headers, form: { current_password: "x" } });
    assert.equal(location, "/login", path);
  }
});

test("a revoked key is refused within a second, and goes with its account", async (t) => {
  const { gate } = await startConfigured(t, FORWARD_AUTH);
  const keys = [await addKey(gate)];
  const status = async (key = "") =>
    (await gate.send("/forward-auth", { headers: { Authorization: `Bearer ${key}` } })).status;
  const env = { DATA_DIR: gate.dataDir };
  const id = (await outputOf(["key", "list"], { env })).trimEnd().slice(-16);
  keys.push(await addKey(gate));
  for (const key of keys) assert.equal(await status(key), 200);
  await outputOf(["key", "revoke", id], { env });
  await eventually(async () => ((await status(keys[0])) === 401 ? true : undefined), 1_000);
  assert.equal(await status(keys[1]), 200);
  addUser(gate, "other");
  await outputOf(["user", "remove", "owner", "--yes"], { env });
  await eventually(async () => ((await status(keys[1])) === 401 ? true : undefined), 1_000);
});

test("programs are asked for a key, and browsers never", async (t) => {
  const { gate } = await startConfigured(t, FORWARD_AUTH);
  const challenge = async (headers: Headers) =>
    (await gate.send("/forward-auth", { headers })).headers["www-authenticate"];
  for (const agent of [{}, { "User-Agent": "git/2.39.5" }]) {
    assert.match(String(await challenge(agent)), /^Basic realm="latchkey"/);
  }
  const browser = { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64)", "X-Requested-With": "x" };
  assert.equal(await challenge(browser), undefined);
});
