import assert from "node:assert/strict";
import { test } from "node:test";
import { startConfigured, startGate } from "../support/gate.ts";
import { partsOf } from "../support/mint.ts";
import { sendRaw } from "../support/raw.ts";
import {
  ask,
  assertNoIdentity,
  BROWSER,
  FORWARD_AUTH,
  type Headers,
  PAGE,
  PUBLIC_URL,
  SIGN_IN_URL,
  TARGET,
} from "./forward-auth-asking.ts";

test("admits a signed-in user with username and ID in the headers and an empty body", async (t) => {
  const { gate, session } = await startConfigured(t, FORWARD_AUTH);
  const id = partsOf(session).claims.user_id;
  for (const headers of [{}, BROWSER, PAGE, { ...PAGE, "X-Forwarded-Method": "DELETE" }]) {
    const answer = await ask(gate, headers, session);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers["remote-user"], "owner");
    assert.equal(answer.headers["remote-user-id"], id);
    assert.equal(answer.headers["content-length"], "0");
    assert.deepEqual([answer.body, answer.cookies], ["", []]);
    assert.equal(answer.headers["cache-control"], "no-store");
  }
});

test("redirects a browser to the sign-in page, with the page as target", async (t) => {
  const { gate } = await startConfigured(t, FORWARD_AUTH);
  const methods = [{}, { "X-Forwarded-Method": "GET" }, { "X-Forwarded-Method": "HEAD" }];
  for (const method of methods) {
    const { "X-Forwarded-Method": _, ...page } = PAGE;
    const answer = await ask(gate, { ...page, ...method });
    assert.deepEqual([answer.status, answer.location], [303, SIGN_IN_URL]);
    assertNoIdentity(answer);
  }
});

test("redirects the browser to the setup page while no account exists", async (t) => {
  const gate = await startGate(t, FORWARD_AUTH);
  const answer = await ask(gate, PAGE);
  assert.equal(answer.status, 303);
  assert.equal(answer.location, `${PUBLIC_URL}/setup?return_to=${TARGET}`);
  assertNoIdentity(answer);
});

/** What else makes a call: `test/http/request-kind.test.ts`. */
const calls: Readonly<Record<string, Headers>> = {
  "a client that does not accept HTML": { ...PAGE, Accept: "application/json" },
  "a frame": { ...PAGE, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe" },
  "a request with POST": { ...PAGE, "X-Forwarded-Method": "POST" },
  "a request with no method": { ...PAGE, "X-Forwarded-Method": "" },
};

test("returns a plain 401 to calls, with and without an account", async (t) => {
  const gate = await startGate(t, FORWARD_AUTH);
  for (const configured of [false, true]) {
    if (configured) await gate.setUp();
    for (const [what, headers] of Object.entries(calls)) {
      const answer = await ask(gate, headers);
      assert.deepEqual([answer.status, answer.location], [401, undefined], what);
      assertNoIdentity(answer);
    }
  }
});

test("with ?deny=401, returns 401 with the sign-in URL to browsers", async (t) => {
  const gate = await startGate(t, FORWARD_AUTH);
  const deny = (headers: Headers) => gate.send("/forward-auth?deny=401", { headers });
  const setup = await deny(PAGE);
  assert.deepEqual([setup.status, setup.location], [401, SIGN_IN_URL.replace("/login", "/setup")]);
  const session = await gate.setUp();
  const denied = await deny(PAGE);
  assert.deepEqual([denied.status, denied.location], [401, SIGN_IN_URL]);
  assertNoIdentity(denied);
  assert.equal((await deny({ ...PAGE, Accept: "*/*" })).location, undefined);
  assert.equal((await gate.send("/forward-auth?deny=401", { session })).status, 200);
});

test("refuses an unknown parameter with 400, for visitors and users alike", async (t) => {
  const { gate, session } = await startConfigured(t, FORWARD_AUTH);
  for (const sending of [{}, { headers: PAGE }, { session }, { session, headers: PAGE }]) {
    const answer = await gate.send("/forward-auth?deny=401&user=owner", sending);
    assert.equal(answer.status, 400);
    assert.equal(
      answer.body,
      'unknown query parameter "user": /forward-auth accepts users, groups, factor=2, apps=only, deny and authorization; in Caddy, write "uri /forward-auth?" with the question mark, which keeps the query of the page out',
    );
    assert.equal(answer.headers["content-type"], "text/plain; charset=utf-8");
    assert.equal(answer.headers["remote-user"], undefined);
    assert.notEqual(answer.headers["x-request-id"], undefined);
  }
});

const CLAIMS: Headers = {
  "Remote-User": "owner",
  "Remote-User-Id": "1",
  "X-Forwarded-User": "owner",
  "X-Remote-User": "owner",
  Authorization: `Basic ${Buffer.from("owner:correct horse").toString("base64")}`,
};

test("ignores identity headers from the client", async (t) => {
  const { gate, session } = await startConfigured(t, FORWARD_AUTH);
  const bearer = { ...CLAIMS, Authorization: `Bearer ${session}` };
  for (const claims of [CLAIMS, bearer]) {
    const answer = await ask(gate, { ...PAGE, ...claims });
    assert.deepEqual([answer.status, answer.location], [303, SIGN_IN_URL]);
    assertNoIdentity(answer);
    const inside = await ask(gate, { ...claims, "Remote-User": "somebody" }, session);
    assert.equal(inside.headers["remote-user"], "owner");
    assert.equal(inside.headers["remote-user-id"], partsOf(session).claims.user_id);
  }
});

test("answers HEAD like GET, and no other method", async (t) => {
  const { gate, session } = await startConfigured(t, FORWARD_AUTH);
  const { status, headers } = await gate.send("/forward-auth", { method: "DELETE", session });
  assert.deepEqual([status, headers.allow, headers["remote-user"]], [405, "GET, HEAD", undefined]);
  const head = await gate.send("/forward-auth", { method: "HEAD", session });
  assert.deepEqual([head.status, head.headers["remote-user"]], [200, "owner"]);
  const turned = await sendRaw(
    gate.url,
    "HEAD /forward-auth HTTP/1.1\r\nHost: gate\r\nConnection: close\r\nAccept: text/html\r\n\r\n",
  );
  const redirect = /^HTTP\/1\.1 303 [\s\S]*^Location: https:\/\/auth\.example\.test\/login\r$/im;
  assert.match(turned, redirect);
});
