import assert from "node:assert/strict";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import { check, checkSameWork } from "../../../proof/bench/check.ts";
import { contestants } from "../../../proof/bench/contestants.ts";
import { addresses } from "../../../proof/bench/load.ts";
import { listenOn } from "../../support/listen.ts";

const SESSIONS = ["sid=aaaaaaaa", "sid=bbbbbbbb"];

interface Flaws {
  /** The greeting of a client without a session. */
  readonly anonymous?: string;
  readonly forged?: string;
  readonly allUsers?: string;
  readonly password?: "any";
}

/** Checks a server that behaves like a contestant, except for the flaws. */
async function checked(t: TestContext, flaws: Flaws): Promise<void> {
  const nameFor = (cookie = ""): string | undefined => {
    if (cookie === "") return flaws.anonymous;
    const user = SESSIONS.indexOf(cookie);
    return user < 0 ? flaws.forged : (flaws.allUsers ?? `user-${user}`);
  };
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") {
      const name = nameFor(request.headers.cookie);
      const body = name === undefined ? "" : `hello ${name}`;
      const headers = { "Content-Length": body.length };
      response.writeHead(name === undefined ? 303 : 200, headers).end(body);
      return;
    }
    const fields = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
    const isRight =
      fields.get("username") === "user-0" &&
      (flaws.password === "any" || fields.get("password") === "correct horse");
    response.setHeader("Location", isRight ? "/" : "/login");
    if (isRight) response.setHeader("Set-Cookie", `${SESSIONS[0]}; HttpOnly`);
    response.writeHead(302, { "Content-Length": 0 }).end();
  });
  const passport = contestants.find(({ peer }) => peer === "passport-memory");
  assert.ok(passport !== undefined);
  await check(passport, await listenOn(t, server), SESSIONS, addresses());
}

test("accepts a contestant that works, and rejects one that lets anyone in", async (t) => {
  await checked(t, {});
  const flawed: readonly (readonly [Flaws, RegExp])[] = [
    [{ anonymous: "someone" }, /without a session is not rejected/],
    [{ forged: "someone" }, /forged session is not rejected/],
    [{ allUsers: "user-0" }, /user-1 is not accepted/],
    [{ password: "any" }, /user-0 with "wrong horse"/],
  ];
  for (const [flaws, reason] of flawed) await assert.rejects(checked(t, flaws), reason);
});

test("compares a guarded page only with a bare one that does the same work", () => {
  const response = "HTTP/1.1 200 OK\r\nDate: Sun, 22 Nov 2026 15:10:00 GMT\r\n\r\nhello";
  const guarded = { request: "GET /a", response };
  checkSameWork(guarded, { request: "GET /b", response: response.replace("10:00", "10:07") });
  for (const bare of [
    { request: "GET /abc", response },
    { request: "GET /a", response: response.replace("\r\n\r\n", "\r\nETag: 1\r\n\r\n") },
    { request: "GET /a", response: `${response}!` },
  ]) {
    assert.throws(() => checkSameWork(guarded, bare));
  }
});
