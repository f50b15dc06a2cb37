import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { type RunningGate, startConfigured } from "../support/gate.ts";
import { openSocket } from "../support/raw.ts";

const HEAD = "POST /login HTTP/1.1\r\nHost: gate\r\n";
const FORM_HEAD = `${HEAD}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 5000\r\n\r\n`;

/** What a client sends first, what it then sends repeatedly, and when it must be disconnected. */
interface Client {
  readonly first: string;
  readonly drip?: string;
  readonly withinMs: number;
}

const clients: Readonly<Record<string, Client>> = {
  "sends nothing": { first: "", withinMs: 10_000 },
  "sends half of the headers": { first: HEAD, withinMs: 10_000 },
  "sends endless headers slowly": { first: HEAD, drip: "X-A: b\r\n", withinMs: 10_000 },
  "sends half of a body": { first: `${FORM_HEAD}username=owner`, withinMs: 18_000 },
  "sends a body slowly": { first: FORM_HEAD, drip: "a", withinMs: 18_000 },
  "keeps the connection open after its response": {
    first: "GET /login HTTP/1.1\r\nHost: gate\r\n\r\n",
    withinMs: 10_000,
  },
};

/** Connects, sends, and waits until the gate ends the connection. */
async function cutOff(t: TestContext, { url }: RunningGate, { first, drip = "" }: Client) {
  const socket = await openSocket(t, url);
  const start = performance.now();
  let received = "";
  socket.setEncoding("utf8").on("data", (text) => {
    received += text;
  });
  // Not `once`, which would reject: the gate may reset the connection.
  const closed = new Promise<number>((resolve) => {
    socket.on("close", () => resolve(performance.now() - start));
  });
  socket.write(first);
  while (drip !== "" && socket.writable) {
    socket.write(drip);
    await pause(50);
  }
  return { afterMs: await closed, received };
}

/** Calls a guard repeatedly while `shouldContinue` returns true. Returns all response times. */
async function askGuard(gate: RunningGate, session: string, shouldContinue: () => boolean) {
  const times: number[] = [];
  while (shouldContinue()) {
    const start = performance.now();
    assert.equal((await gate.send("/", { session })).status, 200);
    times.push(performance.now() - start);
  }
  return times;
}

test("disconnects slow clients in a bounded time while guards answer", async (t) => {
  const { gate, session } = await startConfigured(t);
  let open = true;
  const asking = askGuard(gate, session, () => open);
  const cut = await Promise.all(Object.values(clients).map((client) => cutOff(t, gate, client)));
  open = false;
  for (const [index, [what, { withinMs }]] of Object.entries(clients).entries()) {
    const afterMs = cut[index]?.afterMs ?? Number.NaN;
    assert.ok(afterMs < withinMs, `one that ${what} was cut off after ${afterMs} ms`);
    assert.doesNotMatch(cut[index]?.received ?? "", /^HTTP\/1\.1 (303|500)/, what);
  }
  const times = await asking;
  assert.ok(times.length > 100, `${times.length} responses meanwhile`);
  assert.ok(Math.max(...times) < 2_000, `the slowest took ${Math.max(...times)} ms`);
});
