import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { send } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { startGate } from "../support/gate.ts";
import { openSocket } from "../support/raw.ts";

const CLIENTS = 16;

/** Asks over one connection again and again, until that is closed or refused. */
async function askOn(url: string, asked: { count: number }): Promise<string> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    for (;;) {
      const [answer]: IncomingMessage[] = await once(get(url, { agent }), "response");
      answer?.resume();
      await once(answer ?? agent, "end");
      asked.count += 1;
      if (answer?.headers.connection === "close") return "closed by the gate";
    }
  } catch (error) {
    return String(error instanceof Error && "code" in error ? error.code : error);
  } finally {
    agent.destroy();
  }
}

test("on stop, sends Connection: close to busy clients, and aborts no request", async (t) => {
  const gate = await startGate(t);
  const asked = { count: 0 };
  const clients = Array.from({ length: CLIENTS }, () => askOn(`${gate.url}/login`, asked));
  await eventually(() => (asked.count > 10 * CLIENTS ? true : undefined));
  await gate.stop();
  const endings = new Set(await Promise.all(clients));
  assert.deepEqual(endings, new Set(["closed by the gate"]));
});

test("on stop, closes idle connections at once, and waits for one that is sending", async (t) => {
  const gate = await startGate(t);
  const silent = await openSocket(t, gate.url);
  const resting = await openSocket(t, gate.url);
  resting.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await once(resting, "data");
  const sending = await openSocket(t, gate.url);
  sending.write("GET /healthz HTTP/1.1\r\n");
  await send(`${gate.url}/healthz`);
  const closed = [silent, resting].map((socket) => once(socket.resume(), "close"));
  const stopped = gate.stop();
  // Before the deadline of the stop, at which the one that is sending would be closed, too.
  await Promise.all(closed);
  const answer = text(sending);
  sending.write("Host: localhost\r\n\r\n");
  assert.match(await answer, /^HTTP\/1\.1 200 /);
  await stopped;
});
