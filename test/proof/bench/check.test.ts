import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import { check, checkSameWork } from "../../../proof/bench/check.ts";
import { type Contestant, contestants } from "../../../proof/bench/contestants.ts";
import { addresses } from "../../../proof/bench/load.ts";

const passport = contestants.find(({ peer }) => peer === "passport-memory") as Contestant;

interface Flaws {
  /** The greeting of a client without a session. */
  readonly anonymous?: string;
  readonly forged?: string;
  readonly allUsers?: string;
  readonly password?: "any";
}

/** A server that behaves like a contestant, except for the flaws. */
async function startServer(t: TestContext, flaws: Flaws): Promise<number> {
  const sessions = new Map([
    ["sid=aaaaaaaa", "user-0"],
    ["sid=bbbbbbbb", flaws.allUsers ?? "user-1"],
  ]);
  const nameFor = (cookie: string | undefined): string | undefined =>
    cookie === undefined || cookie === ""
      ? flaws.anonymous
      : (sessions.get(cookie) ?? flaws.forged);
  const server = createServer(async (request, response) => {
    if (request.method === "POST") await signIn(request, response, flaws);
    else greet(nameFor(request.headers.cookie), response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return address.port;
}

function greet(name: string | undefined, response: ServerResponse): void {
  const body = name === undefined ? "" : `hello ${name}`;
  response.writeHead(name === undefined ? 303 : 200, { "Content-Length": body.length }).end(body);
}

async function signIn(
  request: IncomingMessage,
  response: ServerResponse,
  { password }: Flaws,
): Promise<void> {
  const fields = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
  const isRight =
    fields.get("username") === "user-0" &&
    (password === "any" || fields.get("password") === "correct horse");
  response.setHeader("Location", isRight ? "/" : "/login");
  if (isRight) response.setHeader("Set-Cookie", "sid=aaaaaaaa; HttpOnly");
  response.writeHead(302, { "Content-Length": 0 }).end();
}

const checked = async (t: TestContext, flaws: Flaws): Promise<void> =>
  check(passport, await startServer(t, flaws), ["sid=aaaaaaaa", "sid=bbbbbbbb"], addresses());

test("accepts a contestant that works", async (t) => {
  await checked(t, {});
});

for (const [what, flaws, reason] of [
  [
    "greets clients without a session",
    { anonymous: "someone" },
    /without a session is not rejected/,
  ],
  ["accepts forged sessions", { forged: "someone" }, /forged session is not rejected/],
  ["treats all users as one", { allUsers: "user-0" }, /user-1 is not accepted/],
  ["accepts any password", { password: "any" }, /user-0 with "wrong horse"/],
] as const) {
  test(`rejects a contestant that ${what}`, async (t) => {
    await assert.rejects(checked(t, flaws), reason);
  });
}

const page = "HTTP/1.1 200 OK\r\nDate: Sun, 22 Nov 2026 15:10:00 GMT\r\n\r\nhello";

test("compares a guarded page with a bare one that does the same work", () => {
  const later = page.replace("15:10:00", "15:10:07");
  checkSameWork({ request: "GET /a", response: page }, { request: "GET /b", response: later });
});

for (const [what, bare] of [
  ["a longer request", { request: "GET /abc", response: page }],
  [
    "another header",
    { request: "GET /a", response: page.replace("\r\n\r\n", "\r\nETag: 1\r\n\r\n") },
  ],
  ["another body", { request: "GET /a", response: `${page}!` }],
] as const) {
  test(`rejects a comparison with a bare page that has ${what}`, () => {
    assert.throws(() => checkSameWork({ request: "GET /a", response: page }, bare));
  });
}
