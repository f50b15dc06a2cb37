import { test } from "node:test";
import { checkGate } from "../../src/doctor/address.ts";
import { startRecordingApp } from "../proxies/recording-app.ts";
import { writeCertificate } from "../support/certificates.ts";
import { freePort } from "../support/free-port.ts";
import { startGate } from "../support/gate.ts";
import { tempDir } from "../support/temp-dir.ts";
import { SELF_SIGNED } from "./certificates.ts";
import { assertFound, findings } from "./installation.ts";

for (const HOST of ["127.0.0.1", "0.0.0.0", "localhost"]) {
  test(`finds a gate that listens on ${HOST}`, async (t) => {
    const { url } = await startGate(t, { host: HOST });
    const env = { PORT: new URL(url).port, HOST };
    assertFound(await findings(checkGate, { env }), ["ok", /^the gate runs at http:/]);
  });
}

test("finds a gate that listens on IPv6", async (t) => {
  const { url } = await startGate(t, { host: "::1" });
  for (const HOST of ["::1", "::"]) {
    const env = { PORT: new URL(url).port, HOST };
    assertFound(await findings(checkGate, { env }), ["ok", /^the gate runs at http:\/\/\[::1\]:/]);
  }
});

test("finds a gate with only HTTPS, whatever its certificate", async (t) => {
  const { certFile, keyFile } = await writeCertificate(await tempDir(t), SELF_SIGNED);
  const { url } = await startGate(t, { tlsCertFile: certFile, tlsKeyFile: keyFile });
  const env = { PORT: new URL(url).port, TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
  assertFound(await findings(checkGate, { env }), ["ok", /^the gate runs at https:/]);
});

test("reports ok if the gate does not run", async () => {
  const env = { PORT: String(await freePort()) };
  assertFound(await findings(checkGate, { env }), [
    "ok",
    /^the gate does not run: nothing listens/,
  ]);
});

test("reports another program on the gate's port", async (t) => {
  const { place } = await startRecordingApp(t);
  const env = { PORT: new URL(`http://${place}`).port };
  assertFound(await findings(checkGate, { env }), [
    "problem",
    /^another program listens at .* returns 200$/,
    /PORT/,
  ]);
});

test("reports nothing for PORT=0", async () => {
  assertFound(await findings(checkGate, { env: { PORT: "0" } }));
});
