import assert from "node:assert/strict";
import { test } from "node:test";
import { SECRET } from "../support/gate.ts";
import { inSeconds, mint, partsOf } from "../support/mint.ts";
import { sendRaw } from "../support/raw.ts";
import {
  ask,
  assertNobody,
  BROWSER,
  DOOR,
  type Headers,
  PAGE,
  PUBLIC_URL,
  startDoor,
  TARGET,
} from "./forward-auth-asking.ts";

test("who is signed in gets in, with name and ID in the headers and nothing in the body", async (t) => {
  const gate = await startDoor(t);
  const session = await gate.setUp();
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

test("a browser that asked for a page is led to the sign-in, with the page in hand", async (t) => {
  const gate = await startDoor(t);
  await gate.setUp();
  const methods = [{}, { "X-Forwarded-Method": "GET" }, { "X-Forwarded-Method": "HEAD" }];
  for (const method of methods) {
    const { "X-Forwarded-Method": _, ...page } = PAGE;
    const answer = await ask(gate, { ...page, ...method });
    assert.deepEqual([answer.status, answer.location], [303, DOOR]);
    assertNobody(answer);
  }
});

test("while there is no account, the same browser is led to the setup", async (t) => {
  const gate = await startDoor(t);
  const answer = await ask(gate, PAGE);
  assert.equal(answer.status, 303);
  assert.equal(answer.location, `${PUBLIC_URL}/setup?return_to=${TARGET}`);
  assertNobody(answer);
});

const turnedAway: readonly (readonly [what: string, headers: Headers])[] = [
  ["whoever takes no HTML", { ...PAGE, Accept: "application/json" }],
  ["whoever takes anything", { ...PAGE, Accept: "*/*" }],
  ["whoever says nothing of what is taken", { ...PAGE, Accept: "" }],
  ["a script that names itself", { ...PAGE, "X-Requested-With": "XMLHttpRequest" }],
  ["a script that names itself with nothing", { ...PAGE, "X-Requested-With": "" }],
  ["htmx", { ...PAGE, "HX-Request": "true" }],
  ...["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "get", "", "GET, POST"].map(
    (method) =>
      [`a request by ${method || "no method"}`, { ...PAGE, "X-Forwarded-Method": method }] as const,
  ),
];

for (const [what, headers] of turnedAway) {
  test(`${what} is turned away with a plain 401`, async (t) => {
    const gate = await startDoor(t);
    for (const configured of [false, true]) {
      if (configured) await gate.setUp();
      const answer = await ask(gate, headers);
      assert.deepEqual([answer.status, answer.location], [401, undefined]);
      assertNobody(answer);
    }
  });
}

test("with ?deny=401 the door comes with a 401, and only for whoever could go there", async (t) => {
  const gate = await startDoor(t);
  const deny = (headers: Headers, query = "?deny=401") =>
    gate.send(`/forward-auth${query}`, { headers });
  const setup = await deny(PAGE);
  assert.deepEqual([setup.status, setup.location], [401, DOOR.replace("/login", "/setup")]);
  const session = await gate.setUp();
  const denied = await deny(PAGE);
  assert.deepEqual([denied.status, denied.location], [401, DOOR]);
  assertNobody(denied);
  assert.equal((await deny({ ...PAGE, Accept: "*/*" })).location, undefined);
  for (const query of ["?deny=", "?deny=303", "?deny=4010", "?Deny=401"]) {
    assert.equal((await deny(PAGE, query)).status, 303, query);
  }
  assert.equal((await gate.send("/forward-auth?deny=401", { session })).status, 200);
});

const CLAIMS: Headers = {
  "Remote-User": "owner",
  "Remote-User-Id": "1",
  "X-Forwarded-User": "owner",
  "X-Remote-User": "owner",
  Authorization: `Basic ${Buffer.from("owner:correct horse").toString("base64")}`,
};

test("what a client says of itself is no identity, nor does it change one", async (t) => {
  const gate = await startDoor(t);
  const session = await gate.setUp();
  const bearer = { ...CLAIMS, Authorization: `Bearer ${session}` };
  for (const claims of [CLAIMS, bearer]) {
    const answer = await ask(gate, { ...PAGE, ...claims });
    assert.deepEqual([answer.status, answer.location], [303, DOOR]);
    assertNobody(answer);
    const inside = await ask(gate, { ...claims, "Remote-User": "somebody" }, session);
    assert.equal(inside.headers["remote-user"], "owner");
    assert.equal(inside.headers["remote-user-id"], partsOf(session).claims.user_id);
  }
});

test("a session that has expired, or that somebody else made, is nobody's", async (t) => {
  const gate = await startDoor(t);
  const session = await gate.setUp();
  const { user_id } = partsOf(session).claims;
  const none = { alg: "none", typ: "JWT" };
  const genuine = mint({ user_id, exp: inSeconds(60) }, { secret: SECRET });
  assert.equal((await ask(gate, {}, genuine)).status, 200);
  for (const token of [
    mint({ user_id, exp: inSeconds(-1) }),
    mint({ user_id, exp: inSeconds(60) }, { secret: "another secret" }),
    mint({ user_id, exp: inSeconds(60) }, { header: none }),
    mint({ user_id }),
    mint({ user_id: "nobody", exp: inSeconds(60) }),
    `${session}x`,
    "",
  ]) {
    const answer = await ask(gate, PAGE, token);
    assert.deepEqual([answer.status, answer.location], [303, DOOR], token);
    assertNobody(answer);
    assert.equal((await ask(gate, {}, token)).status, 401);
  }
});

test("it answers to GET and HEAD, and says so to every other method", async (t) => {
  const gate = await startDoor(t);
  const session = await gate.setUp();
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    const answer = await gate.send("/forward-auth", { method, session });
    assert.deepEqual([answer.status, answer.headers.allow], [405, "GET, HEAD"], method);
    assert.equal(answer.headers["remote-user"], undefined);
  }
  const head = await gate.send("/forward-auth", { method: "HEAD", session });
  assert.deepEqual([head.status, head.headers["remote-user"]], [200, "owner"]);
  const turned = await sendRaw(
    gate.url,
    "HEAD /forward-auth HTTP/1.1\r\nHost: gate\r\nConnection: close\r\nAccept: text/html\r\n\r\n",
  );
  assert.match(turned, /^HTTP\/1\.1 303 [\s\S]*^Location: https:\/\/auth\.door\.test\/login\r$/im);
});
