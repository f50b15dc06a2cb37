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
  "sends nothing": { first: "", withinMs: 30_000 },
  "sends half of the headers": { first: HEAD, withinMs: 30_000 },
  "sends endless headers slowly": { first: HEAD, drip: "X-A: b\r\n", withinMs: 30_000 },
  "sends half of a body": { first: `${FORM_HEAD}username=owner`, withinMs: 40_000 },
  "sends a body slowly": { first: FORM_HEAD, drip: "a", withinMs: 40_000 },
  "keeps the connection open after its response": {
    first: "GET /login HTTP/1.1\r\nHost: gate\r\n\r\n",
    withinMs: 30_000,
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

/** Calls a guard repeatedly while `shouldContinue` returns true. Returns the number of responses. */
async function askGuard(gate: RunningGate, session: string, shouldContinue: () => boolean) {
  let answers = 0;
  while (shouldContinue()) {
    assert.equal((await gate.send("/account/profile", { session })).status, 200);
    answers += 1;
  }
  return answers;
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
  // One at a time: if a guard waited for a slow client, there would be as many as slow clients.
  const answers = await asking;
  assert.ok(answers > 5 * Object.keys(clients).length, `${answers} responses meanwhile`);
});
