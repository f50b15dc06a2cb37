import assert from "node:assert/strict";
import { once } from "node:events";
import { constants } from "node:http2";
import { type TestContext, test } from "node:test";
import type { Handler } from "../../../src/gate/create-handler.ts";
import { eventually } from "../../support/eventually.ts";
import { openSocket } from "../../support/raw.ts";
import { startBareServer } from "./bare-server.ts";
import { ask, openSession } from "./secure-gate.ts";

/** Slow clients of HTTP/1.1: `test/tools/slowhttptest.proof.test.ts`. */
const LONG = 60_000;
const SHORT = 400;
/** Longer than a busy machine takes for a request. */
const MODERATE = 3_000;
const post = { ":path": "/", ":method": "POST" };

/** Answers after the whole body has arrived. */
const echo: Handler = (incoming, outgoing) => {
  incoming.on("error", () => {});
  incoming.resume().on("end", () => outgoing.end("done"));
};

async function start(t: TestContext, handle: Handler, stream: number, silence: number) {
  const { port } = await startBareServer(t, handle, { handshake: LONG, stream, silence });
  return openSession(t, port);
}

test("a form that trickles in loses its stream, and not the connection", async (t) => {
  const session = await start(t, echo, SHORT, LONG);
  const stream = session.request(post);
  const dripping = setInterval(() => stream.write("a"), 5);
  t.after(() => clearInterval(dripping));
  await once(
    stream.on("error", () => {}),
    "close",
  );
  assert.equal(stream.rstCode, constants.NGHTTP2_CANCEL);
  assert.equal((await ask(session)).body, "done");
});

test("gives up a response that the client does not read", async (t) => {
  const codes: unknown[] = [];
  const large: Handler = (_, outgoing) => {
    if ("stream" in outgoing)
      outgoing.stream.on("close", () => codes.push(outgoing.stream.rstCode));
    outgoing.end(Buffer.alloc(4 * 1024 * 1024));
  };
  const session = await start(t, large, SHORT, LONG);
  // The client's window fills up, and the rest waits in the server.
  session
    .request({ ":path": "/" })
    .on("error", () => {})
    .pause();
  const code = await eventually(() => codes[0]);
  assert.equal(code, constants.NGHTTP2_CANCEL);
});

test("closes a silent connection, and one with a stalled stream", async (t) => {
  for (const stalls of ["no", "one"]) {
    const session = await start(t, echo, LONG, SHORT);
    if (stalls === "one")
      session
        .request(post)
        .on("error", () => {})
        .write("username=");
    await once(session, "close");
    assert.equal(session.destroyed, true, `with ${stalls} stream that stalls`);
  }
});

test("keeps a connection open as long as requests arrive", async (t) => {
  const session = await start(t, echo, LONG, MODERATE);
  const end = performance.now() + 2 * MODERATE;
  while (performance.now() < end) assert.equal((await ask(session)).body, "done");
  assert.equal(session.closed, false);
});

for (const [what, first] of [
  ["never starts", ""],
  ["stops in the middle", "\x16\x03\x01\x02\x00\x01"],
] as const) {
  test(`closes a handshake that ${what}, and serves others`, async (t) => {
    const timeouts = { handshake: SHORT, stream: LONG, silence: LONG };
    const { port } = await startBareServer(t, echo, timeouts);
    const socket = await openSocket(t, `https://127.0.0.1:${port}`);
    socket.resume().write(Buffer.from(first, "latin1"));
    await once(socket, "close");
    assert.equal((await ask(await openSession(t, port))).body, "done");
  });
}
