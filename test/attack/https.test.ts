import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { enter } from "../../src/attack/enter.ts";
import { findTarget, NoTarget } from "../../src/attack/find.ts";
import { runAttacks } from "../../src/attack/run.ts";
import { LOCALHOST, startSecureGate } from "../gate/https/secure-gate.ts";
import { OWNER } from "../support/gate.ts";
import { runLatchkey } from "../support/process.ts";
import { attackNamed } from "./attacking.ts";

function trustLocalhost(t: TestContext): void {
  const before = getCACertificates();
  setDefaultCACertificates([LOCALHOST.cert]);
  t.after(() => setDefaultCACertificates(before));
}

test("nothing gets through at a gate that serves HTTPS, and its cookie stays there", async (t) => {
  const gate = await startSecureGate(t);
  await gate.setUp();
  trustLocalhost(t);
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
  for (const url of [`https://localhost:${gate.port}`, `https://127.0.0.1:${gate.port}`]) {
    const { code, stdout, stderr } = await runLatchkey(t, ["attack", url]);
    assert.deepEqual([code, stdout], [1, ""]);
    const [line, ...more] = stderr.split("\n");
    assert.equal(
      line,
      `latchkey: ${url}: its certificate is not trusted here (self-signed certificate): NODE_EXTRA_CA_CERTS=FILE names one that is`,
    );
    assert.deepEqual(more, [""]);
  }
});

test("a server that is trusted is not taken for one at its address, which the certificate does not name", async (t) => {
  const gate = await startSecureGate(t);
  trustLocalhost(t);
  const url = `https://127.0.0.1:${gate.port}`;
  await assert.rejects(
    findTarget({ url, guarded: [], knownSecrets: [], fresh: false }),
    (error) => {
      assert.ok(error instanceof NoTarget);
      assert.match(error.message, /does not match certificate's altnames/);
      return true;
    },
  );
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
