import assert from "node:assert/strict";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import type { Handler } from "../../../src/gate/create-handler.ts";
import { OWNER } from "../../support/gate.ts";
import { openSocket } from "../../support/raw.ts";
import { startBareServer } from "./bare-server.ts";
import { ask, handshake, openSession, startWithOwner } from "./secure-gate.ts";

const FORM = new URLSearchParams(OWNER).toString();
const asForm = { "content-type": "application/x-www-form-urlencoded" };
const hello: Handler = (_, outgoing) => void outgoing.end("hello");

/** A stop that waits for its limit exceeds the time-out of the test. */
const LONG_MS = 60_000;
const atOnce = { timeout: 30_000 };

test("answers a sign-in in flight over HTTP/2 before the gate stops", async (t) => {
  const gate = await startWithOwner(t);
  const session = await openSession(t, gate.port);
  const stream = session.request({ ":path": "/login", ":method": "POST", ...asForm });
  const answered = once(stream, "response");
  stream.write(FORM.slice(0, 5));
  await ask(session, { path: "/healthz" });
  const goneAway = once(session, "goaway");
  const stopped = gate.stop();
  await goneAway;
  await assert.rejects(openSession(t, gate.port), { code: "ECONNREFUSED" });
  stream.end(FORM.slice(5));
  const [headers] = await answered;
  assert.deepEqual([headers[":status"], headers.location], [303, "/"]);
  stream.resume();
  await stopped;
});

/** Connections without a request in flight. */
const idle: Readonly<Record<string, (t: TestContext, port: number) => Promise<unknown>>> = {
  "an HTTP/2 connection that was used": async (t, port) => ask(await openSession(t, port)),
  "an HTTP/2 connection that was never used": openSession,
  "an HTTP/2 connection without a preface": async (t, port) => {
    const socket = await handshake(t, port, { ALPNProtocols: ["h2"] });
    socket.resume();
  },
  "an HTTP/1.1 connection that is kept alive": async (t, port) => {
    const socket = await handshake(t, port, { ALPNProtocols: ["http/1.1"] });
    socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await once(socket, "data");
  },
  "an HTTP/1.1 connection that was never used": (t, port) =>
    handshake(t, port, { ALPNProtocols: ["http/1.1"] }),
  "a connection without a handshake": (t, port) => openSocket(t, `https://127.0.0.1:${port}`),
};

for (const [what, open] of Object.entries(idle)) {
  test(`${what} does not delay the stop`, atOnce, async (t) => {
    const { port, stop } = await startBareServer(t, hello);
    for (let time = 1; time <= 5; time += 1) await open(t, port);
    await stop(LONG_MS);
  });
}

test("a handshake that ends while the server stops does not delay the stop", atOnce, async (t) => {
  const { server, port, stop } = await startBareServer(t, hello);
  const stopped = new Promise<void>((resolve) => {
    // At this point the handshake is over, and the HTTP/2 session does not exist yet.
    server.prependOnceListener("secureConnection", () => resolve(stop(LONG_MS)));
  });
  const session = openSession(t, port);
  await stopped;
  await session.catch(() => {});
});

test("closes requests that are never answered, over HTTP/2 and HTTP/1.1", atOnce, async (t) => {
  const { port, stop } = await startBareServer(t, () => {});
  const session = await openSession(t, port);
  const stream = session.request({ ":path": "/" });
  stream.on("error", () => {});
  const cut = once(stream, "close");
  const socket = await handshake(t, port, { ALPNProtocols: ["http/1.1"] });
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const answer = text(socket).catch(() => "");
  await new Promise<void>((resolve) => session.ping(() => resolve()));
  await stop(50);
  await cut;
  assert.equal(await answer, "");
});

test("an upload that was answered early does not delay the stop", atOnce, async (t) => {
  const { port, stop } = await startBareServer(t, (incoming, outgoing) => {
    incoming.once("data", () => outgoing.end("enough"));
  });
  const session = await openSession(t, port);
  const upload = session.request({ ":method": "POST", ":path": "/" });
  upload.on("error", () => {});
  upload.write("x");
  assert.equal(await text(upload), "enough");
  await stop(LONG_MS);
});
