import assert from "node:assert/strict";
import { createHmac, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { readNotifyTarget } from "../../src/mail/notify-target.ts";
import { sendNotice } from "../../src/mail/webhook.ts";
import { startNoticeServer } from "../support/notice-server.ts";

const page = await readFile(new URL("../../docs/notices.md", import.meta.url), "utf8");
const [, code = ""] = /```js\nimport [^\n]+\n([\s\S]+?)```/.exec(page) ?? [];

const isGenuine = new Function(
  ...["createHmac", "timingSafeEqual", "secret", "headers", "body"],
  `${code}; return isGenuine;`,
).bind(undefined, createHmac, timingSafeEqual);

test("the code on the page accepts a notice, and no other body, ID, time or secret", async (t) => {
  const { port, received } = await startNoticeServer(t);
  const secret = `whsec_${Buffer.from("a secret of 24 bytes, or more").toString("base64")}`;
  const reading = readNotifyTarget(`http://127.0.0.1:${port}/`, secret);
  assert.ok(reading.kind === "target");
  const data = { summary: "Added account é", author: "cli" };
  const notice = { type: "user_add", timestamp: "2030-01-01T00:00:00.000Z", data };
  const stop = new AbortController().signal;
  await sendNotice(reading.target, "Home", notice, { id: "id", now: Date.now(), stop });
  assert.ok(received[0]);
  const { headers, body } = received[0];
  assert.equal(isGenuine(secret, headers, body), true);
  assert.equal(isGenuine(secret, headers, `${body} `), false);
  assert.equal(isGenuine(secret, { ...headers, "webhook-id": "other" }, body), false);
  assert.equal(isGenuine(secret, { ...headers, "webhook-timestamp": "1" }, body), false);
  assert.equal(isGenuine(secret, { ...headers, "webhook-signature": "v1," }, body), false);
  assert.equal(isGenuine("whsec_b3RoZXI=", headers, body), false);
});
