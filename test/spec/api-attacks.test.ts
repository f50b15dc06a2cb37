import assert from "node:assert/strict";
import { test } from "node:test";
import { openPostgres } from "../../src/db/postgres/store.ts";
import { type RunningApp, startConfiguredApp } from "../support/app.ts";
import { OWNER } from "../support/gate.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { maskVaryingParts, sendRaw } from "../support/raw.ts";
import { summariesIn } from "../support/store.ts";

const server = await sharedPostgres();

const API = { api: true } as const;
const JSON_TYPE = { "Content-Type": "application/json" };
const NEW = "another horse";
const PASSWORDS = { currentPassword: OWNER.password, newPassword: NEW, confirmPassword: NEW };

/** What a page of another site would send to each path. */
const wanted: Readonly<Record<string, object>> = {
  "/api/sign-in": OWNER,
  "/api/sign-out": {},
  "/api/password": PASSWORDS,
};

/** Whether the account and its session are as before, and all five attempts are left. */
async function assertUntouched(app: RunningApp, session: string): Promise<void> {
  assert.match((await app.send("/who", { session })).body, /"owner"/);
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    assert.equal((await app.send("/login", { form: OWNER })).location, "/");
  }
}

test("no type that a form of another site can have is JSON", async (t) => {
  const { app, session } = await startConfiguredApp(t, API);
  for (const [path, fields] of Object.entries(wanted)) {
    // With `enctype="text/plain"`, a form can send any JSON: `name=value` within a string.
    const trick = `${JSON.stringify({ ...fields, x: "" }).slice(0, -2)}=x"}`;
    JSON.parse(trick);
    for (const type of [
      "text/plain",
      "text/plain;charset=UTF-8",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=application/json",
      "text/plain; application/json",
      "application/csp-report",
      "application/reports+json",
      "",
    ]) {
      const headers = { "Content-Type": type };
      const answer = await app.send(path, { body: trick, headers, session });
      assert.equal(answer.status, 415, `${path} ${type}`);
      assert.deepEqual(answer.cookies, []);
    }
    // `navigator.sendBeacon` with a text, and a request without a body, send no type.
    for (const body of ["", trick]) {
      const answer = await app.send(path, { method: "POST", body, session });
      assert.equal(answer.status, 415);
    }
  }
  await assertUntouched(app, session);
});

test("JSON of another site is refused, whatever it contains", async (t) => {
  const trustedOrigins = ["https://app.example.org"];
  const { app, session } = await startConfiguredApp(t, { ...API, hosts: { trustedOrigins } });
  const { host } = new URL(app.url);
  for (const [path, fields] of Object.entries(wanted)) {
    for (const headers of [
      { "Sec-Fetch-Site": "cross-site" },
      { "Sec-Fetch-Site": "same-site" },
      { "Sec-Fetch-Site": "cross-site", Origin: `http://${host}` },
      { Origin: "https://evil.example" },
      { Origin: "null" },
      { Origin: `http://${host}.evil.example` },
      { Origin: `http://${host}`, "X-Forwarded-Proto": "https" },
      // These pages may post the form of the sign-out. Browsers send no JSON from there.
      { Origin: "https://app.example.org" },
    ]) {
      for (const body of [JSON.stringify(fields), "{", "", '{"username":1}']) {
        const sending = { body, headers: { ...JSON_TYPE, ...headers }, session };
        const answer = await app.send(path, sending);
        assert.deepEqual([answer.status, answer.body], [403, '{"error":"cross_site"}']);
        assert.deepEqual(answer.cookies, []);
        assert.equal(answer.headers["access-control-allow-origin"], undefined);
      }
    }
  }
  await assertUntouched(app, session);
});

test("a browser's question whether another site may send JSON gets no yes", async (t) => {
  const { app } = await startConfiguredApp(t, API);
  const headers = {
    Origin: "https://evil.example",
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "content-type",
  };
  for (const path of [...Object.keys(wanted), "/api/session"]) {
    const answer = await app.send(path, { method: "OPTIONS", headers });
    assert.equal(answer.status, 405);
    const allowed = Object.keys(answer.headers).filter((name) => name.startsWith("access-control"));
    assert.deepEqual(allowed, []);
  }
});

test("bodies that are no flat object of texts sign nobody in and count as no attempt", async (t) => {
  const { app, session } = await startConfiguredApp(t, API);
  const own = JSON.stringify(OWNER);
  const { username, password } = OWNER;
  for (const [body, status] of [
    [`[${own}]`, 400],
    [`"${username}"`, 400],
    ["null", 400],
    [`\ufeff${own}`, 400],
    [`${own}${own}`, 400],
    [`{"username":"nobody",${own.slice(1)}`, 400],
    [`${own.slice(0, -1)},"password":"${password}"}`, 400],
    [`{"username":"${username}","password":"${password}\\ud800"}`, 400],
    ["[".repeat(65_000), 400],
    [`{"username":["${username}"],"password":"${password}"}`, 422],
    [`{"username":{"$gt":""},"password":{"$gt":""}}`, 422],
    [`{"username":true,"password":"${password}"}`, 422],
    [`{"username":"${username}","password":null}`, 422],
    [`${own.slice(0, -1)},"code":123456}`, 422],
    [`${own.slice(0, -1)},"rememberDevice":"true"}`, 422],
    [`${own.slice(0, -1)},"x":"${"x".repeat(66_000)}"}`, 413],
  ] as const) {
    const answer = await app.send("/api/sign-in", { body, headers: JSON_TYPE });
    assert.equal(answer.status, status, body.slice(0, 80));
    assert.deepEqual(answer.cookies, []);
    const shown = JSON.parse(answer.body);
    if (status === 422)
      assert.deepEqual([shown.error, shown.fields.length > 0], ["wrong_type", true]);
    else assert.deepEqual(shown, { error: "body_unreadable" });
  }
  const latin = Buffer.from(own.replace(password, "p\xe4ss"), "latin1");
  assert.equal((await app.send("/api/sign-in", { body: latin, headers: JSON_TYPE })).status, 400);
  await assertUntouched(app, session);
});

test("a field of the prototype is none of the body", async (t) => {
  const { app } = await startConfiguredApp(t, API);
  const body = `{"__proto__":${JSON.stringify(OWNER)},"constructor":{"prototype":{"x":1}}}`;
  const answer = await app.send("/api/sign-in", { body, headers: JSON_TYPE });
  assert.equal(answer.status, 401);
  assert.equal(Reflect.get({}, "x"), undefined);
  const nested = `{"__proto__":{"groups":["admins"]},${JSON.stringify(OWNER).slice(1)}`;
  assert.equal((await app.send("/api/sign-in", { body: nested, headers: JSON_TYPE })).status, 200);
});

test("an unknown user and a wrong password get the same bytes", async (t) => {
  const { app } = await startConfiguredApp(t, API);
  const raw = async (fields: object) => {
    const body = JSON.stringify(fields);
    const head = `Host: localhost\r\nConnection: close\r\nContent-Type: application/json`;
    const length = `Content-Length: ${Buffer.byteLength(body)}`;
    const request = `POST /api/sign-in HTTP/1.1\r\n${head}\r\n${length}\r\n\r\n${body}`;
    return maskVaryingParts(await sendRaw(app.url, request));
  };
  const wrong = await raw({ ...OWNER, password: "wrong" });
  assert.match(wrong, /^HTTP\/1\.1 401 /);
  for (const fields of [{ ...OWNER, username: "nobody" }, {}, { username: OWNER.username }]) {
    assert.equal(await raw(fields), wrong);
  }
});

for (const kind of ["SQLite", "PostgreSQL"] as const) {
  test(`${kind}: NUL and control characters in any field are wrong, and fail nothing`, async (t) => {
    const store =
      kind === "SQLite" ? undefined : await openPostgres({ url: await server.newStoreDatabase() });
    if (store !== undefined) t.after(() => store.close());
    const { app, session } = await startConfiguredApp(t, { ...API, ...(store && { store }) });
    const send = async (path: string, fields: object) => {
      const body = JSON.stringify(fields);
      return (await app.send(path, { body, headers: JSON_TYPE, session })).status;
    };
    for (const end of ["\0", "\u001b[31m", "\u202e"]) {
      assert.equal(await send("/api/sign-in", { ...OWNER, username: `owner${end}` }), 401);
      const from = "127.0.0.2";
      const body = JSON.stringify({ ...OWNER, password: `${OWNER.password}${end}` });
      const wrong = await app.send("/api/sign-in", { body, headers: JSON_TYPE, from });
      assert.equal(wrong.status, 401);
    }
    assert.equal(await send("/api/sign-in", { ...OWNER, code: "\0" }), 200);
    const again = await app.send("/login", { form: OWNER });
    const asked = { ...PASSWORDS, currentPassword: `${OWNER.password}\0` };
    const body = JSON.stringify(asked);
    const changed = await app.send("/api/password", {
      ...{ body, headers: JSON_TYPE },
      session: again.session,
    });
    assert.equal(changed.status, 422);
    const errors = app.log.filter(({ level }) => level === "error");
    assert.deepEqual(errors, []);
    await app.auth.close();
    if (store !== undefined) assert.ok((await summariesIn(store)).length > 0);
  });
}
