import assert from "node:assert/strict";
import { test } from "node:test";
import type { Sending } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { type RunningGate, startGate } from "../support/gate.ts";

/** The lines about requests, once there are so many: each is written when its answer is sent. */
const linesIn = (gate: RunningGate, count: number) =>
  eventually(() => {
    const lines = gate.serverLog.filter(({ msg }) => msg === "request");
    return lines.length >= count ? lines : undefined;
  });

test("logs nothing but method, path, status, milliseconds and ID of each request at LOG_LEVEL=debug", async (t) => {
  const gate = await startGate(t, { logLevel: "debug" });
  const answer = await gate.send("/setup?token=t");
  const [line, ...others] = await linesIn(gate, 1);
  assert.deepEqual(others, []);
  const { time: _, ms, ...rest } = line ?? {};
  assert.deepEqual(rest, {
    level: "debug",
    method: "GET",
    path: "/setup",
    status: 200,
    requestId: answer.headers["x-request-id"],
    msg: "request",
  });
  assert.ok(typeof ms === "number" && ms > 0 && ms < 60_000, String(ms));
  assert.match(String(rest.requestId), /^[\da-f-]{36}$/);
});

const requests: readonly (readonly [path: string, sending: Sending, status: number])[] = [
  ["/latchkey.css", {}, 200],
  ["/forward-auth", {}, 401],
  ["/healthz", { method: "HEAD" }, 200],
  ["/nothing", {}, 404],
  ["/login", { method: "DELETE" }, 405],
  ["/login", { form: { username: "nobody", password: "wrong" } }, 303],
];

test("logs each request with its path and status, and the response has its ID", async (t) => {
  const gate = await startGate(t, { logLevel: "debug" });
  for (const [at, [path, sending, status]] of requests.entries()) {
    const answer = await gate.send(path, sending);
    const line = (await linesIn(gate, at + 1))[at];
    assert.deepEqual([line?.path, line?.status], [path, status]);
    assert.equal(line?.requestId, answer.headers["x-request-id"]);
  }
});
