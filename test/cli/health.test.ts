import assert from "node:assert/strict";
import { test } from "node:test";
import { makeCertificate, writeCertificate } from "../support/certificates.ts";
import { failureOf, outputOf } from "../support/command.ts";
import { startGate } from "../support/gate.ts";
import { tempDir } from "../support/temp-dir.ts";

const HEALTH = ["health"];

for (const HOST of ["0.0.0.0", "::"]) {
  test(`reports a gate that listens on ${HOST}, and one that has stopped`, async (t) => {
    const gate = await startGate(t, { host: HOST });
    const env = { HOST, PORT: new URL(gate.url).port };
    assert.match(await outputOf(HEALTH, { env }), /^The gate answers at http:\/\/\S+:\d+\n$/);
    await gate.stop();
    assert.match(await failureOf(HEALTH, { env }), /^no answer from http:\S+: connection refused/);
  });
}

test("asks over TLS on the only port, and over plain HTTP next to it", async (t) => {
  const { certFile, keyFile } = await writeCertificate(await tempDir(t), makeCertificate());
  const publicUrl = "https://auth.example.test";
  const files = { tlsCertFile: certFile, tlsKeyFile: keyFile, publicUrl };
  const env = { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
  const alone = await startGate(t, files);
  const port = new URL(alone.url).port;
  const overTls = await outputOf(HEALTH, { env: { ...env, PORT: port } });
  assert.equal(overTls, `The gate answers at https://127.0.0.1:${port}\n`);
  const both = await startGate(t, { ...files, httpsPort: 0 });
  const plainPort = new URL(both.url).port;
  const plain = await outputOf(HEALTH, { env: { ...env, PORT: plainPort, HTTPS_PORT: "1" } });
  assert.equal(plain, `The gate answers at http://127.0.0.1:${plainPort}\n`);
});

test("fails at a port where something else answers", async (t) => {
  const gate = await startGate(t, { metricsPort: 0 });
  const env = { PORT: new URL(gate.metricsUrl ?? "").port };
  assert.match(await failureOf(HEALTH, { env }), /\/healthz answers 404$/);
});
