import assert from "node:assert/strict";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  createServer,
  type Http2ServerResponse,
} from "node:http2";
import { type TestContext, test } from "node:test";
import type { Handler } from "../../../src/gate/create-handler.ts";
import { limitStreams } from "../../../src/gate/https/stream-limits.ts";
import { listenOn } from "../../support/listen.ts";
import { ask, openSession, startSecureGate } from "./secure-gate.ts";

test("answers 431 to a header list over 16 KiB", async (t) => {
  const { port } = await startSecureGate(t);
  const session = await openSession(t, port);
  const headers = { "x-long": Array(5).fill("x".repeat(3_500)) };
  assert.equal((await ask(session, { headers })).status, 431);
  // Now Node knows that the client has acknowledged the limit.
  await assert.rejects(ask(session, { headers }), { message: /ENHANCE_YOUR_CALM/ });
  assert.equal((await ask(session, { headers: { "x-long": "x".repeat(15_000) } })).status, 200);
});

/** The server side of HTTP/2 without TLS, and the responses that it has not ended. */
async function startServer(t: TestContext, limits: Parameters<typeof limitStreams>[1]) {
  const waiting: Http2ServerResponse[] = [];
  const handle: Handler = (_, outgoing) => {
    if ("stream" in outgoing) waiting.push(outgoing);
  };
  const port = await listenOn(t, createServer(limitStreams(handle, limits)));
  const open = (): ClientHttp2Session => {
    const session = connect(`http://127.0.0.1:${port}`);
    t.after(() => session.destroy());
    return session;
  };
  return { waiting, open };
}

/** How a request ends: with a status, or with the code of a reset. */
function outcomeOf(stream: ClientHttp2Stream): Promise<number> {
  stream.on("error", () => {}).resume();
  return new Promise((resolve) => {
    stream.once("response", (headers) => resolve(Number(headers[":status"])));
    stream.once("close", () => resolve(stream.rstCode));
  });
}

const REFUSED = 7;

test("above the total, each connection gets its share of streams", async (t) => {
  const { waiting, open } = await startServer(t, { share: 2, total: 3 });
  const [greedy, modest] = [open(), open()];
  const held = [1, 2, 3].map(() => outcomeOf(greedy.request()));
  assert.equal(await outcomeOf(greedy.request()), REFUSED);
  const others = [1, 2].map(() => outcomeOf(modest.request()));
  assert.equal(await outcomeOf(modest.request()), REFUSED);
  for (const outgoing of waiting.splice(0)) outgoing.end();
  assert.deepEqual(await Promise.all([...held, ...others]), Array(5).fill(200));
  // The streams that have ended no longer count.
  const again = [1, 2, 3].map(() => outcomeOf(greedy.request()));
  assert.equal(await outcomeOf(greedy.request()), REFUSED);
  for (const outgoing of waiting) outgoing.end();
  assert.deepEqual(await Promise.all(again), Array(3).fill(200));
});
