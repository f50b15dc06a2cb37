import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, get, type IncomingMessage } from "node:http";
import { type TestContext, test } from "node:test";
import { eventually } from "../support/eventually.ts";
import { startGate } from "../support/gate.ts";

const CLIENTS = 16;

interface Asked {
  readonly answered: number;
  /** What each client ended with. */
  readonly endings: readonly string[];
}

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

async function stopUnderLoad(t: TestContext): Promise<Asked & { readonly took: number }> {
  const gate = await startGate(t);
  const asked = { count: 0 };
  const clients = Array.from({ length: CLIENTS }, () => askOn(`${gate.url}/login`, asked));
  await eventually(() => (asked.count > 10 * CLIENTS ? true : undefined));
  const start = performance.now();
  await gate.stop();
  const took = performance.now() - start;
  return { answered: asked.count, endings: await Promise.all(clients), took };
}

test("sends Connection: close to busy clients on stop, and aborts no request", async (t) => {
  const { endings } = await stopUnderLoad(t);
  assert.deepEqual(
    endings.filter((ending) => ending !== "closed by the gate"),
    [],
  );
});

test("stops in time with busy clients", async (t) => {
  const { took } = await stopUnderLoad(t);
  assert.ok(took < 3_000, `${took}`);
});

test("stops in time with a silent client", async (t) => {
  const gate = await startGate(t);
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const [answer]: IncomingMessage[] = await once(get(`${gate.url}/login`, { agent }), "response");
  answer?.resume();
  await once(answer ?? agent, "end");
  const start = performance.now();
  await gate.stop();
  assert.ok(performance.now() - start < 2_000);
});
