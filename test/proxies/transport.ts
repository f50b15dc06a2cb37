import assert from "node:assert/strict";
import type { Rule } from "./rules.ts";
import { sendText } from "./websocket.ts";

/** More than the 1 MB that nginx accepts by default. */
const LARGE = 2_000_000;

/** What applications need besides plain requests: WebSockets and large uploads. */
export function testTransport(rule: Rule): void {
  rule("a WebSocket of a signed-in client reaches the app, and no other", async (site) => {
    const session = await site.gate.setUp();
    const socket = `${site.appUrl}/socket`;
    assert.deepEqual(await sendText(socket, "hello"), { status: 401, echo: undefined });
    assert.equal(site.app.arrivals.length, 0);
    const headers = { Cookie: `session=${session}` };
    assert.deepEqual(await sendText(socket, "hello", headers), { status: 101, echo: "hello" });
    const [arrival] = site.app.arrivals;
    assert.equal(arrival?.headers["remote-user"], "owner");
    assert.equal(arrival?.headers.cookie ?? "", "");
  });

  rule("no upgrade to another protocol than WebSocket reaches the app", async (site) => {
    const session = await site.gate.setUp();
    // With HTTP/2 through such a tunnel, later requests would not pass the guard.
    for (const upgrade of ["h2c", "websocket, h2c", ["h2c", "websocket"]]) {
      const headers = { Cookie: `session=${session}`, Upgrade: upgrade };
      await sendText(`${site.appUrl}/page`, "hello", headers);
      const arrived = site.app.arrivals.at(-1)?.headers.upgrade ?? "";
      assert.ok(["", "websocket"].includes(arrived), `${upgrade}: ${arrived}`);
    }
  });

  rule("a large upload reaches the app, and its body not the gate", async (site) => {
    const session = await site.gate.setUp();
    const body = "x".repeat(LARGE);
    const answer = await site.visit(`${site.appUrl}/upload`, { method: "POST", body, session });
    assert.equal(answer.status, 200);
    assert.equal(site.app.arrivals[0]?.body.length, LARGE);
  });
}
