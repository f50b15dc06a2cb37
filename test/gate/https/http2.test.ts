import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { eventually } from "../../support/eventually.ts";
import { OWNER } from "../../support/gate.ts";
import { ask, openSession, type SecureGate, startWithOwner } from "./secure-gate.ts";

const signIn = { form: OWNER };

/** Without those about refused requests, which have an address. */
const warnings = ({ serverLog }: SecureGate) =>
  serverLog.filter(({ level, address }) => level !== "info" && address === undefined);

test("a sign-in over HTTP/2 sets a Secure cookie that opens guarded pages", async (t) => {
  const gate = await startWithOwner(t);
  const session = await openSession(t, gate.port);
  assert.match((await ask(session)).body, /<form method="post" action="\/login">/);
  const { status, headers } = await ask(session, signIn);
  assert.deepEqual([status, headers.location], [303, "/"]);
  const [cookie = "", ...others] = headers["set-cookie"] ?? [];
  assert.match(cookie, /^session=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000; Secure$/);
  assert.deepEqual(others, []);
  // Browsers may split cookies over several headers.
  const split = ["a=1; b=2", cookie.split(";", 1)[0] ?? "", "session=other"];
  const home = await ask(session, { path: "/account/profile", headers: { cookie: split } });
  assert.match(home.body, /"Signed in as owner"/);
});

const LIMIT = 64 * 1024;
const formOf = (size: number): string => "username=owner&password=".padEnd(size, "x");
const asForm = { "content-type": "application/x-www-form-urlencoded" };

test("refuses forms over 64 KiB over HTTP/2, and keeps the connection", async (t) => {
  const gate = await startWithOwner(t);
  const session = await openSession(t, gate.port);
  for (const [size, status] of [
    [LIMIT, 303],
    [LIMIT + 1, 413],
    [LIMIT * 20, 413],
  ] as const) {
    for (const length of [{ "content-length": size }, {}]) {
      const answer = await ask(session, { body: formOf(size), headers: { ...asForm, ...length } });
      assert.equal(answer.status, status);
      assert.equal((await ask(session)).status, 200, "the connection stays open");
    }
  }
  // Before the gate, which would wait for the rest of the forms.
  session.destroy();
  assert.deepEqual(warnings(gate), []);
});

test("streams and connections closed at any time cause no error", async (t) => {
  const gate = await startWithOwner(t);
  for (const sent of ["", "username=owner&", new URLSearchParams(OWNER).toString()]) {
    for (const cut of ["stream", "session", "socket"] as const) {
      const session = await openSession(t, gate.port);
      await ask(session);
      const stream = session.request({ ":path": "/login", ":method": "POST", ...asForm });
      stream.on("error", () => {});
      const closed = once(stream, "close");
      if (sent.includes("password")) stream.end(sent);
      else stream.write(sent);
      // Once this is answered, the gate also has the other stream.
      await ask(session, { path: "/healthz" });
      if (cut === "stream") stream.close(8);
      else if (cut === "session") session.destroy();
      else session.socket.destroy();
      await closed;
    }
  }
  await eventually(async () => ((await gate.send("/healthz")).status === 200 ? true : undefined));
  const session = await openSession(t, gate.port, { localAddress: "127.0.0.9" });
  assert.equal((await ask(session, signIn)).headers.location, "/");
  await gate.stop();
  assert.deepEqual(warnings(gate), []);
});
