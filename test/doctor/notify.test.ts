import assert from "node:assert/strict";
import { createServer as createTlsServer } from "node:https";
import { test } from "node:test";
import { checkNotify } from "../../src/doctor/notify.ts";
import { makeCertificate } from "../support/certificates.ts";
import { freePort } from "../support/free-port.ts";
import { listenOn } from "../support/listen.ts";
import { startNoticeServer } from "../support/notice-server.ts";
import { assertCheck, findings } from "./installation.ts";

const KEY = "a signing secret of 24 bytes";
const until = new Date("2119-12-24T08:45:02Z");

const at = (port: number, scheme = "http") => ({
  env: { NOTIFY_URL: `${scheme}://127.0.0.1:${port}/hidden`, NOTIFY_SECRET: KEY },
});

test("connects to the target, and sends nothing", async (t) => {
  const { port, received } = await startNoticeServer(t);
  await assertCheck(checkNotify, at(port), [
    "ok",
    /^127\.0\.0\.1:\d+ of NOTIFY_URL can be reached/,
  ]);
  assert.equal(received.length, 0);
});

test("says nothing without NOTIFY_URL", async () => {
  assert.deepEqual(await findings(checkNotify, {}), []);
});

test("reports a target that cannot be reached, without its path", async () => {
  const found = await findings(checkNotify, at(await freePort()));
  assert.match(JSON.stringify(found), /^\[\{"outcome":"problem".*ECONNREFUSED/);
  assert.doesNotMatch(JSON.stringify(found), /hidden/);
});

test("reports a certificate that is not trusted", async (t) => {
  const port = await listenOn(t, createTlsServer(makeCertificate({ names: ["127.0.0.1"], until })));
  await assertCheck(checkNotify, at(port, "https"), [
    "problem",
    /self-signed certificate/,
    /check/,
  ]);
});
