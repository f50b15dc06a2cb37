import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import type { Delivery } from "../../src/db/records.ts";
import { readNotifyTarget } from "../../src/mail/notify-target.ts";
import { optionTable } from "../../src/options.ts";
import { deliverNotices } from "../../src/start-outbox.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { freePort } from "../support/free-port.ts";
import { listenOn } from "../support/listen.ts";

const DELIVERY: Delivery = {
  ...{ id: "a", kind: "webhook", tries: 0 },
  ...{ createdAt: new Date(0), dueAt: new Date(0), expiresAt: new Date(0) },
};

test("while the target does not answer, other notices fail at once, and mail need not wait", async (t) => {
  const port = await freePort();
  const reading = readNotifyTarget(`ntfy://127.0.0.1:${port}/home`, undefined);
  assert.ok(reading.kind === "target");
  const clock = fakeClock();
  const pages = { appName: optionTable.pages.appName.default };
  const { webhook } = deliverNotices(
    { notify: { target: reading.target, events: [] }, pages },
    { clock },
  );
  assert.ok(webhook);
  const notice = { type: "test", timestamp: "", data: { summary: "a", author: "cli" } };
  const send = () => webhook(notice, DELIVERY, new AbortController().signal);
  await assert.rejects(send(), /ECONNREFUSED/);
  let requests = 0;
  let status = 500;
  const server = createServer((_, response) => {
    requests += 1;
    response.writeHead(status).end();
  });
  await listenOn(t, server, "127.0.0.1", port);
  clock.advance(4_999);
  await assert.rejects(send(), /^Error: 127\.0\.0\.1:\d+ did not answer a moment ago$/);
  assert.equal(requests, 0);
  clock.advance(1);
  await assert.rejects(send(), /answered 500$/);
  status = 200;
  await send();
  assert.equal(requests, 2, "a target that refuses one notice may take the next");
});
