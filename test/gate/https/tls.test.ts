import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { makeCertificate } from "../../support/certificates.ts";
import { sendRaw } from "../../support/raw.ts";
import { ask, assertCalm, handshake, openSession, startSecureGate } from "./secure-gate.ts";

test("chooses HTTP/2 if offered, else HTTP/1.1, or refuses", async (t) => {
  const { port } = await startSecureGate(t);
  for (const [offered, chosen] of [
    [["h2", "http/1.1"], "h2"],
    [["http/1.1", "h2"], "h2"],
    [["h2"], "h2"],
  ] as const) {
    const socket = await handshake(t, port, { ALPNProtocols: [...offered] });
    assert.equal(socket.alpnProtocol, chosen, offered.join());
    // Before the gate, which would wait for it.
    socket.destroy();
  }
  await assert.rejects(handshake(t, port, { ALPNProtocols: ["smtp"] }), {
    code: "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL",
  });
});

test("answers in HTTP/1.1 if asked for it, or for nothing", async (t) => {
  const { port } = await startSecureGate(t);
  for (const options of [{ ALPNProtocols: ["http/1.1"] }, {}]) {
    const socket = await handshake(t, port, options);
    socket.write("GET /login HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    const answer = await text(socket);
    assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/);
    assert.match(answer, /<form method="post" action="\/login">/);
  }
});

test("serves the whole chain to a client that trusts only the root", async (t) => {
  const root = makeCertificate({ kind: "authority" });
  const between = makeCertificate({ kind: "authority", issuer: root });
  const end = makeCertificate({ names: ["localhost"], issuer: between });
  const whole = { ...end, cert: `${end.cert}${between.cert}` };
  const { port } = await startSecureGate(t, {}, whole);
  const trust = { ca: root.cert, rejectUnauthorized: true, checkServerIdentity: () => undefined };
  for (const servername of ["localhost", ""]) {
    const socket = await handshake(t, port, { ...trust, servername });
    assert.equal(socket.authorized, true);
    socket.destroy();
  }
});

const insecure = "DEFAULT:@SECLEVEL=0";
const refusedByServer = { code: /^ERR_SSL_(TLSV1_ALERT|SSL\/TLS_ALERT|SSLV3_ALERT)_/ };

test("refuses TLS 1.0 and 1.1, and ciphers that are not recommended", async (t) => {
  const { port } = await startSecureGate(t);
  for (const maxVersion of ["TLSv1", "TLSv1.1"] as const) {
    const old = { minVersion: "TLSv1", maxVersion, ciphers: insecure } as const;
    await assert.rejects(handshake(t, port, old), {
      code: "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION",
    });
  }
  for (const cipher of ["AES128-SHA256", "AES256-SHA", "AES256-SHA384", "AES128-CCM8"]) {
    const ciphers = `ECDHE-ECDSA-${cipher}:@SECLEVEL=0`;
    const weak = { maxVersion: "TLSv1.2", ciphers } as const;
    await assert.rejects(handshake(t, port, weak), refusedByServer, cipher);
  }
});

test("does not renegotiate, also with a client that names no host", async (t) => {
  const { port } = await startSecureGate(t);
  for (const servername of ["localhost", ""]) {
    const socket = await handshake(t, port, { maxVersion: "TLSv1.2", servername });
    const renegotiation = new Promise<Error | null>((resolve) => {
      socket.renegotiate({}, resolve);
      socket.once("error", resolve);
    });
    assert.match(String(await renegotiation), /no renegotiation/i);
    socket.destroy();
  }
});

test("closes plain HTTP on the HTTPS port, and keeps running", async (t) => {
  const gate = await startSecureGate(t);
  const { port } = gate;
  const request = "GET /login HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const answer = await sendRaw(`http://127.0.0.1:${port}`, request).catch(() => "cut off");
  assert.doesNotMatch(answer, /HTTP/);
  assert.equal((await ask(await openSession(t, port))).status, 200);
  assertCalm(gate);
});
