import assert from "node:assert/strict";
import { test } from "node:test";
import { startApp } from "../support/app.ts";
import { countOf } from "../support/database.ts";
import { OWNER, startGate } from "../support/gate.ts";

const SETUP_FORM = { ...OWNER, confirm: OWNER.password };
const CROSS_SITE = { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" };

/** The response to an empty form while no account exists, unless the form is refused. */
const endpoints = [
  { path: "/login", status: 303 },
  { path: "/setup", status: 422 },
  { path: "/logout", status: 303 },
  { path: "/account/password", status: 303 },
] as const;

/** `{host}` and `{port}` are replaced by those of the gate. */
const matrix: readonly {
  readonly site: string | undefined;
  readonly origin: string | undefined;
  readonly refused: boolean;
}[] = [
  { site: undefined, origin: undefined, refused: false },
  { site: "same-origin", origin: undefined, refused: false },
  { site: "none", origin: undefined, refused: false },
  { site: "cross-site", origin: undefined, refused: true },
  { site: "same-site", origin: undefined, refused: true },
  { site: "Same-Origin", origin: undefined, refused: true },
  { site: "nonsense", origin: undefined, refused: true },
  { site: "same-origin", origin: "http://{host}", refused: false },
  { site: "same-origin", origin: "null", refused: false },
  { site: "same-origin", origin: "https://evil.example", refused: false },
  { site: "none", origin: "https://evil.example", refused: false },
  { site: "cross-site", origin: "http://{host}", refused: true },
  { site: "same-site", origin: "http://{host}", refused: true },
  { site: undefined, origin: "http://{host}", refused: false },
  { site: undefined, origin: "https://{host}", refused: false },
  { site: undefined, origin: "HTTP://{host}", refused: false },
  { site: undefined, origin: "https://evil.example", refused: true },
  { site: undefined, origin: "http://127.0.0.1", refused: true },
  { site: undefined, origin: "http://127.0.0.2:{port}", refused: true },
  { site: undefined, origin: "http://localhost:{port}", refused: true },
  { site: undefined, origin: "http://{host}.evil.example", refused: true },
  { site: undefined, origin: "http://{host}@evil.example", refused: true },
  { site: undefined, origin: "ftp://{host}", refused: true },
  { site: undefined, origin: "{host}", refused: true },
  { site: undefined, origin: "null", refused: true },
  { site: undefined, origin: "", refused: true },
];

for (const { site, origin, refused } of matrix) {
  const what = `Sec-Fetch-Site ${site ?? "absent"} and Origin ${origin === "" ? "empty" : (origin ?? "absent")}`;
  test(`${refused ? "refuses" : "accepts"} a POST with ${what}`, async (t) => {
    const gate = await startGate(t);
    const { host, port } = new URL(gate.url);
    const headers = {
      ...(site === undefined ? {} : { "Sec-Fetch-Site": site }),
      ...(origin === undefined
        ? {}
        : { Origin: origin.replace("{host}", host).replace("{port}", port) }),
    };
    for (const { path, status } of endpoints) {
      const answer = await gate.send(path, { form: {}, headers });
      assert.equal(answer.status, refused ? 403 : status, path);
      assert.equal(answer.body.includes("this form was sent from another site"), refused, path);
    }
  });
}

test("takes the request's own host from the Host header", async (t) => {
  const gate = await startGate(t);
  const post = (headers: Readonly<Record<string, string>>) =>
    gate.send("/logout", { form: {}, headers });
  const own = await post({ Host: "home.example.org", Origin: "https://home.example.org" });
  assert.equal(own.status, 303);
  const withPort = await post({ Host: "home.example.org:443", Origin: "https://home.example.org" });
  assert.equal(withPort.status, 303);
  const sibling = await post({ Host: "home.example.org", Origin: "https://app.example.org" });
  assert.equal(sibling.status, 403);
});

test("a setup from another site creates no account", async (t) => {
  const gate = await startGate(t);
  const answer = await gate.send("/setup", { form: SETUP_FORM, headers: CROSS_SITE });
  assert.deepEqual([answer.status, answer.cookies], [403, []]);
  assert.equal(countOf(gate.databaseFile, "users"), 0);
});

test("sign-ins from another site fail and do not count as attempts", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    const answer = await gate.signIn({}, { headers: CROSS_SITE });
    assert.deepEqual([answer.status, answer.cookies], [403, []]);
  }
  assert.equal((await gate.signIn()).location, "/");
});

test("another site cannot sign a user out", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  const answer = await gate.send("/logout", { form: {}, session, headers: CROSS_SITE });
  assert.deepEqual([answer.status, answer.cookies], [403, []]);
});

test("another site cannot change a password, signed in or not", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  const form = {
    current_password: OWNER.password,
    new_password: "another password",
    confirm_password: "another password",
  };
  for (const token of [session, undefined]) {
    const sending = { form, session: token, headers: CROSS_SITE };
    assert.equal((await gate.send("/account/password", sending)).status, 403);
  }
  assert.equal((await gate.signIn()).location, "/");
});

test("links from other sites open the pages", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  assert.equal((await gate.send("/login", { headers: CROSS_SITE })).status, 200);
  assert.equal((await gate.send("/", { session, headers: CROSS_SITE })).status, 200);
});

test("accepts exactly the trusted origins of the application", async (t) => {
  const app = await startApp(t, { trustedOrigins: ["https://app.example.org"] });
  const statusFor = async (origin: string, site?: string): Promise<number> => {
    const headers = { Origin: origin, ...(site && { "Sec-Fetch-Site": site }) };
    return (await app.send("/logout", { form: {}, headers })).status;
  };
  for (const site of [undefined, "cross-site", "same-site"]) {
    assert.equal(await statusFor("https://app.example.org", site), 303);
    assert.equal(await statusFor("http://app.example.org", site), 403);
    assert.equal(await statusFor("https://app.example.org:8443", site), 403);
    assert.equal(await statusFor("https://other.example.org", site), 403);
  }
});
