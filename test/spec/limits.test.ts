import assert from "node:assert/strict";
import { test } from "node:test";
import { OWNER, type RunningGate, startGate } from "../support/gate.ts";
import { sendRaw } from "../support/raw.ts";

const DENIED = "/login?error=1";
const LARGEST = 64 * 1024;
const FORM_TYPE = "application/x-www-form-urlencoded";

/** The redirect targets of `count` sign-ins with the right credentials. */
async function signIns(gate: RunningGate, count: number, from: string): Promise<unknown[]> {
  const locations: unknown[] = [];
  for (let attempt = 1; attempt <= count; attempt += 1) {
    locations.push((await gate.signIn({}, { from })).location);
  }
  return locations;
}

test("allows five attempts per address, including successful ones", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const locations = await signIns(gate, 7, "127.0.0.7");
  assert.deepEqual(locations, ["/", "/", "/", "/", "/", DENIED, DENIED]);
});

test("denies the right credentials after five failures", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const from = "127.0.0.7";
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    await gate.signIn(
      { username: attempt % 2 === 0 ? "nobody" : "owner", password: "wrong" },
      { from },
    );
  }
  const answer = await gate.signIn({}, { from });
  assert.deepEqual([answer.status, answer.location, answer.cookies], [303, DENIED, []]);
  const entries = await gate.logEntries(2);
  assert.equal(entries.at(-1)?.summary, "Rate limited login from 127.0.0.7");
});

test("counts each address separately", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  await signIns(gate, 6, "127.0.0.7");
  assert.deepEqual(await signIns(gate, 1, "127.0.0.8"), ["/"]);
  assert.deepEqual(await signIns(gate, 1, "127.0.0.7"), [DENIED]);
});

test("applies the limit to concurrent attempts", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => gate.signIn({}, { from: "127.0.0.7" })),
  );
  assert.equal(answers.filter(({ location }) => location === "/").length, 5);
  assert.equal(answers.filter(({ location }) => location === DENIED).length, 15);
});

test("limits sign-ins only, not pages, guards or password changes", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  for (let attempt = 1; attempt <= 6; attempt += 1) await gate.signIn({ password: "wrong" });
  const form = {
    current_password: "wrong",
    new_password: "12345678",
    confirm_password: "12345678",
  };
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    const answer = await gate.send("/account/password", { session, form });
    assert.match(answer.body, />current password is incorrect</);
  }
  assert.equal((await gate.send("/", { session })).status, 200);
  assert.equal((await gate.send("/login")).status, 200);
});

test("starts with empty counts after a restart", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  await signIns(gate, 6, "127.0.0.7");
  await gate.stop();
  const again = await startGate(t, { dataDir: gate.dataDir });
  assert.deepEqual(await signIns(again, 1, "127.0.0.7"), ["/"]);
});

/** A raw request whose body is chunked or has a Content-Length. */
function rawLogin(body: string, way: "chunked" | "with its length") {
  const framing =
    way === "chunked"
      ? `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
      : `Content-Length: ${body.length}\r\n\r\n${body}`;
  return `POST /login HTTP/1.1\r\nHost: gate\r\nConnection: close\r\nContent-Type: ${FORM_TYPE}\r\n${framing}`;
}

const form = new URLSearchParams(OWNER).toString();
const padded = (length: number): string => `${form}&x=`.padEnd(length, "x");

for (const way of ["chunked", "with its length"] as const) {
  test(`accepts a form of 64 KiB sent ${way}, and refuses one byte more`, async (t) => {
    const gate = await startGate(t);
    await gate.setUp();
    const largest = await sendRaw(gate.url, rawLogin(padded(LARGEST), way));
    assert.match(largest, /^HTTP\/1\.1 303 [\s\S]*^Location: \/\r$/im);
    const larger = await sendRaw(gate.url, rawLogin(padded(LARGEST + 1), way));
    assert.match(larger, /^HTTP\/1\.1 413 /);
    assert.match(larger, />the form is too large \(at most 65536 bytes\)</);
    assert.doesNotMatch(larger, /^Set-Cookie/im);
  });
}

for (const path of ["/setup", "/account/password"]) {
  test(`POST ${path} has the same limit`, async (t) => {
    const gate = await startGate(t);
    const session = path === "/setup" ? undefined : await gate.setUp();
    const headers = { "Content-Type": FORM_TYPE };
    const largest = await gate.send(path, { body: "x".repeat(LARGEST), headers, session });
    assert.equal(largest.status, 422);
    const larger = await gate.send(path, { body: "x".repeat(LARGEST + 1), headers, session });
    assert.equal(larger.status, 413);
  });
}

test("does not count a form that is too large as an attempt", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const headers = { "Content-Type": FORM_TYPE };
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    const { status } = await gate.send("/login", { body: padded(LARGEST + 1), headers });
    assert.equal(status, 413);
  }
  assert.equal((await gate.signIn()).location, "/");
});
