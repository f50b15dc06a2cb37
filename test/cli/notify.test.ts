import assert from "node:assert/strict";
import { test } from "node:test";
import { failureOf, runCommand } from "../support/command.ts";
import { startNoticeServer, verifyNotice } from "../support/notice-server.ts";

const KEY = "a signing secret of 24 bytes";

test("notify test sends a notice at once, and names the host alone", async (t) => {
  const { port, received } = await startNoticeServer(t);
  const env = { NOTIFY_URL: `http://127.0.0.1:${port}/hidden`, NOTIFY_SECRET: KEY };
  assert.deepEqual(await runCommand(["notify", "test"], { env }), {
    ...{ code: 0, stdout: "", stderr: `latchkey: 127.0.0.1:${port} has taken the notice\n` },
  });
  assert.ok(received[0]);
  const { type, data } = await verifyNotice(received[0], KEY);
  assert.deepEqual(
    [type, data],
    ["test", { summary: "This is a test. Notices from Latchkey arrive.", author: "cli" }],
  );
});

test("notify test says what the target answers, without the URL", async (t) => {
  const { port } = await startNoticeServer(t, (response) => void response.writeHead(403).end());
  const env = { NOTIFY_URL: `ntfy://hidden:hidden@127.0.0.1:${port}/hidden` };
  const line = await failureOf(["notify", "test"], { env });
  assert.equal(line, `the notice was not sent: 127.0.0.1:${port} answered 403`);
});

test("notify test requires NOTIFY_URL", async () => {
  assert.equal(await failureOf(["notify", "test"], { env: {} }), "set NOTIFY_URL first");
});
