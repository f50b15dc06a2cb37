import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { writeCertificate } from "../../support/certificates.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { LOCALHOST, openSession, portOf } from "../https/secure-gate.ts";
import { requests, startMeasured } from "./measured-gate.ts";

/** Starts a gate with HTTPS, and opens an HTTP/2 connection to it. */
async function startSecure(t: TestContext) {
  const { certFile, keyFile } = await writeCertificate(await tempDir(t), LOCALHOST);
  const tls = { tlsCertFile: certFile, tlsKeyFile: keyFile };
  const gate = await startMeasured(t, { ...tls, logLevel: "debug" });
  return { gate, client: await openSession(t, portOf(gate.url)) };
}

test("counts and logs requests over HTTP/2 like others", async (t) => {
  const { gate, client } = await startSecure(t);
  const stream = client.request({ ":path": "/login?x=1", "x-request-id": "given" });
  const [headers] = await once(stream, "response");
  await once(stream.resume(), "end");
  await gate.becomes(requests("GET", "/login", "200"), 1);
  const line = gate.serverLog.find(({ msg }) => msg === "request");
  assert.deepEqual([line?.path, line?.status], ["/login", 200]);
  assert.match(String(line?.requestId), /^[\da-f-]{36}$/);
  assert.equal(headers["x-request-id"], line?.requestId);
});

test("counts a stream that the client ends before the response as aborted", async (t) => {
  const { gate, client } = await startSecure(t);
  const asked = { ":path": "/login", ":method": "POST", expect: "100-continue" };
  const stream = client.request(asked);
  stream.on("error", () => {});
  await once(stream, "continue");
  stream.close(8);
  await gate.becomes(requests("POST", "/login", "aborted"), 1);
});

test("reports the expiry of the served certificate", async (t) => {
  const { gate } = await startSecure(t);
  const { value } = await gate.scrape();
  const year2120 = Date.UTC(2120, 0, 1) / 1e3;
  assert.equal(value("latchkey_certificate_expiry_timestamp_seconds"), year2120);
});
