import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { makeCertificate, writeCertificate } from "../support/certificates.ts";
import { runCommand } from "../support/command.ts";
import { startGate } from "../support/gate.ts";
import { tempDir } from "../support/temp-dir.ts";

type Environment = Readonly<Record<string, string>>;

const health = (env: Environment) => runCommand(["health"], { env });

for (const HOST of ["127.0.0.1", "0.0.0.0", "::", "::1"]) {
  test(`reports a gate that listens on ${HOST}, and one that has stopped`, async (t) => {
    const gate = await startGate(t, { host: HOST });
    const env = { HOST, PORT: new URL(gate.url).port };
    const { code, stdout, stderr } = await health(env);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^The gate answers at http:\/\/\S+:\d+\n$/);
    await gate.stop();
    const stopped = await health(env);
    assert.deepEqual([stopped.code, stopped.stdout], [1, ""]);
    assert.match(stopped.stderr, /^latchkey: no answer from http:\S+: connection refused/);
  });
}

async function certificateFiles(t: TestContext) {
  const { certFile, keyFile } = await writeCertificate(await tempDir(t), makeCertificate());
  return { tlsCertFile: certFile, tlsKeyFile: keyFile, publicUrl: "https://auth.example.test" };
}

test("asks over TLS on the only port, and over plain HTTP next to it", async (t) => {
  const files = await certificateFiles(t);
  const env = { TLS_CERT_FILE: files.tlsCertFile, TLS_KEY_FILE: files.tlsKeyFile };
  const alone = await startGate(t, files);
  const port = new URL(alone.url).port;
  const overTls = await health({ ...env, PORT: port });
  assert.equal(overTls.stdout, `The gate answers at https://127.0.0.1:${port}\n`);
  const both = await startGate(t, { ...files, httpsPort: 0 });
  const plainPort = new URL(both.url).port;
  const plain = await health({ ...env, PORT: plainPort, HTTPS_PORT: "1" });
  assert.equal(plain.stdout, `The gate answers at http://127.0.0.1:${plainPort}\n`);
});

test("fails at a port where something else answers", async (t) => {
  const gate = await startGate(t, { metricsPort: 0 });
  const { code, stderr } = await health({ PORT: new URL(gate.metricsUrl ?? "").port });
  assert.equal(code, 1);
  assert.match(stderr, /\/healthz answers 404\n$/);
});
