import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { enter } from "../../src/attack/enter.ts";
import { findTarget } from "../../src/attack/find.ts";
import { runAttacks } from "../../src/attack/run.ts";
import { LOCALHOST, startSecureGate } from "../server/https/secure-gate.ts";
import { OWNER } from "../support/gate.ts";
import { runLatchkey } from "../support/process.ts";
import { attackNamed } from "./attacking.ts";

test("nothing gets through at a gate that serves HTTPS, and its cookie stays there", async (t) => {
  const gate = await startSecureGate(t);
  await gate.setUp();
  const before = getCACertificates();
  setDefaultCACertificates([LOCALHOST.cert]);
  t.after(() => setDefaultCACertificates(before));
  const url = `https://localhost:${gate.port}`;
  const target = await findTarget({ url, guarded: [], knownSecrets: [], fresh: false });
  assert.equal(await enter(target, OWNER.username, OWNER.password), "entered");
  const names = ["cross-site-forms", "request-smuggling", "pipelining", "session-life"];
  const results = await runAttacks(target, {
    attacks: names.map(attackNamed),
    granted: new Set(["account", "disturb"]),
    withinMs: 120_000,
  });
  assert.deepEqual(
    results.map(({ attack, outcome, findings }) => [attack.name, outcome, ...findings]),
    names.map((name) => [name, "passed"]),
  );
});

test("a certificate that nobody vouches for is one line", async (t) => {
  const gate = await startSecureGate(t);
  const url = `https://localhost:${gate.port}`;
  const { code, stdout, stderr } = await runLatchkey(t, ["attack", url]);
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /^latchkey: https:\/\/localhost:\d+: self-signed certificate[^\n]*\n$/);
});

test("an address that only leads to another one names it", async (t) => {
  const server = createServer((_request, response) => {
    response.writeHead(308, { Location: "https://auth.door.test/login" });
    response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, stderr } = await runLatchkey(t, ["attack", url]);
  assert.equal(code, 1);
  assert.equal(stderr, `latchkey: ${url} leads to https://auth.door.test: attack that one\n`);
});
