import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { makeCertificate, writeCertificate } from "../../support/certificates.ts";
import { setupTokensIn } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free-port.ts";
import { SETUP_FORM, startGate } from "../../support/gate.ts";
import { listenOn } from "../../support/listen.ts";
import { ask, assertCalm, handshake, openSession, portOf, startSecureGate } from "./secure-gate.ts";

const STRICT = "strict-transport-security";

test("with HTTPS_PORT, plain HTTP redirects, except for forward auth", async (t) => {
  const gate = await startSecureGate(t);
  const headers = { Host: "localhost:80" };
  const { status, location, headers: got } = await gate.send("/login?error=1", { headers });
  assert.deepEqual([status, location], [308, `https://localhost:${gate.port}/login?error=1`]);
  assert.equal(got["cache-control"], "no-store");
  const asked = await gate.send("/forward-auth");
  assert.deepEqual([asked.status, asked.headers[STRICT], got[STRICT]], [401, undefined, undefined]);
  const posted = await gate.send("/setup", { form: SETUP_FORM, headers });
  assert.deepEqual([posted.status, posted.cookies], [308, []]);
  const session = await openSession(t, gate.port);
  for (const path of ["/login", "/latchkey.css", "/nowhere", "/"]) {
    const { headers } = await ask(session, { path });
    assert.equal(headers[STRICT], "max-age=31536000", path);
  }
});

for (const [what, wanted] of [
  ["expired", { until: new Date("2021-01-01") }],
  ["not valid yet", { from: new Date("2110-01-01") }],
] as const) {
  test(`serves a certificate that is ${what}, without redirects or HSTS`, async (t) => {
    const certificate = makeCertificate({ names: ["localhost"], ...wanted });
    const gate = await startSecureGate(t, {}, certificate);
    const { status, headers } = await ask(await openSession(t, gate.port));
    assert.deepEqual([status, headers[STRICT]], [200, undefined]);
    assert.equal((await gate.send("/setup")).status, 200);
  });
}

test("HTTPS_PORT without a certificate refuses handshakes only", async (t) => {
  const gate = await startGate(t, { httpsPort: 0, setupTokenAtStart: "auto" });
  const port = portOf(gate.httpsUrl);
  for (const servername of ["localhost", ""]) {
    await assert.rejects(handshake(t, port, { servername }), /handshake failure/);
  }
  const session = await gate.setUp({ token: setupTokensIn(gate.databaseFile)[0] ?? "" });
  assert.equal((await gate.send("/account/profile", { session })).status, 200);
  const { status, headers } = await gate.send("/login");
  assert.deepEqual([status, headers[STRICT]], [200, undefined]);
  assertCalm(gate);
});

for (const [inUse, other] of [
  ["httpsPort", "port"],
  ["port", "httpsPort"],
] as const) {
  test(`reports a ${inUse} in use, and does not leave the ${other} open`, async (t) => {
    const ports = { [inUse]: await listenOn(t, createServer()), [other]: await freePort() };
    const fault = {
      code: "cannot_listen",
      message: new RegExp(`port ${ports[inUse]}: it is already in use \\(`),
    };
    await assert.rejects(startSecureGate(t, ports), fault);
    const again = createServer().listen(ports[other], "127.0.0.1");
    t.after(() => again.close());
    await once(again, "listening");
  });
}

test("new connections get a replaced certificate, and others stay open", async (t) => {
  const gate = await startSecureGate(t);
  const before = await openSession(t, gate.port);
  const next = makeCertificate({ names: ["localhost", "auth.example.org"] });
  await writeCertificate(gate.certificateDir, next);
  await eventually(async () => {
    const shown = (await handshake(t, gate.port)).getPeerCertificate();
    return shown.subjectaltname?.includes("auth.example.org") ? true : undefined;
  });
  assert.equal((await ask(before)).status, 200);
  await eventually(async () => {
    const { location } = await gate.send("/login", { headers: { Host: "auth.example.org" } });
    return location === `https://auth.example.org:${gate.port}/login` ? true : undefined;
  });
});
