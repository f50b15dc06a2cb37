import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { Socket } from "node:net";
import { test } from "node:test";
import { servers } from "./http1-servers.ts";

const REQUEST = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

for (const [over, open] of Object.entries(servers)) {
  test(`closes a connection that pipelines without end, over ${over}`, {
    timeout: 9_000,
  }, async (t) => {
    let handled = 0;
    const socket = await open(t, () => {
      handled += 1;
    });
    const { localPort } = socket;
    let made = 0;
    const count = (message: unknown): void => {
      if ((message as { socket: Socket }).socket.remotePort === localPort) made += 1;
    };
    subscribe("http.server.request.start", count);
    t.after(() => unsubscribe("http.server.request.start", count));
    socket.resume();
    const closed = once(socket, "close");
    socket.write(REQUEST.repeat(1_000));
    await closed;
    assert.equal(handled, 17, "one, and those that may wait for it");
    assert.equal(made, 18, "the parser stops in the middle of what was read");
  });

  test(`answers 17 pipelined requests in their order, again and again, over ${over}`, async (t) => {
    let handled = 0;
    const socket = await open(t, (_, outgoing) => {
      handled += 1;
      const body = `<${handled}>`;
      setImmediate(() => outgoing.end(body));
    });
    let received = "";
    for (const last of [17, 34]) {
      socket.write(REQUEST.repeat(17));
      while (!received.includes(`<${last}>`)) received += (await once(socket, "data"))[0];
    }
    const bodies = received.match(/<\d+>/g);
    const expected = Array.from({ length: 34 }, (_, at) => `<${at + 1}>`);
    assert.deepEqual(bodies, expected);
  });
}
