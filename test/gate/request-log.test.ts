import assert from "node:assert/strict";
import { test } from "node:test";
import type { Sending } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { startGate } from "../support/gate.ts";

const requests: readonly (readonly [path: string, sending: Sending, status: number])[] = [
  ["/setup?token=t", {}, 200],
  ["/forward-auth", {}, 401],
  ["/healthz", { method: "HEAD" }, 200],
  ["/nothing", {}, 404],
  ["/link/secret", {}, 404],
  ["/login", { form: { username: "nobody", password: "wrong" } }, 303],
];

test("logs only method, path, status, time and ID at LOG_LEVEL=debug", async (t) => {
  const gate = await startGate(t, { logLevel: "debug" });
  for (const [at, [path, sending, status]] of requests.entries()) {
    const answer = await gate.send(path, sending);
    // A line is written when its answer is sent.
    const lineOf = () => gate.serverLog.filter(({ msg }) => msg === "request")[at];
    const { time: _, ms, ...line } = await eventually(lineOf);
    assert.deepEqual(line, {
      level: "debug",
      method: sending.form ? "POST" : (sending.method ?? "GET"),
      path: path.split("?")[0]?.replace("secret", ":token"),
      status,
      requestId: answer.headers["x-request-id"],
      msg: "request",
    });
    assert.ok(typeof ms === "number" && ms > 0 && ms < 60_000, String(ms));
    assert.match(String(line.requestId), /^[\da-f-]{36}$/);
  }
});
