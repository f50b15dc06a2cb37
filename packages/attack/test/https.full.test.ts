import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import {
  LOCALHOST,
  startSecureGate,
  startWithOwner,
} from "../../../test/gate/https/secure-gate.ts";
import { OWNER } from "../../../test/support/gate.ts";
import { attacks } from "../src/attacks.ts";
import { TargetError } from "../src/errors.ts";
import { findTarget } from "../src/find.ts";
import { runAttacks } from "../src/run.ts";
import { signInAs } from "../src/target.ts";
import { endingAt } from "./flaws.ts";
import { attackNamed, attackSampleServer, runCommand } from "./run-attack.ts";
import { trust } from "./trust.ts";

test("finds nothing on a gate that serves HTTPS, over HTTP/1.1 and HTTP/2", async (t) => {
  const gate = await startWithOwner(t);
  trust(t, LOCALHOST);
  const url = `https://localhost:${gate.port}`;
  const target = await findTarget({ url, guarded: [], fresh: false });
  assert.deepEqual(target.versions, ["1.1", "2"]);
  assert.equal(await signInAs(target, OWNER.username, OWNER.password), "signed-in");
  const which = [
    ...attacks.filter(({ needs, versions }) => versions?.includes("2") && !needs.includes("echo")),
    ...["pipelining", "request-smuggling", "sign-in-limit", "session-life"].map(attackNamed),
  ];
  const results = await runAttacks(target, {
    attacks: which,
    granted: new Set(["account", "disturb"]),
    withinMs: 280_000,
  });
  assert.deepEqual(
    results.map(({ attack, outcome, findings }) => [attack.name, outcome, ...findings]),
    which.map(({ name }) => [name, "passed"]),
  );
});

test("open-redirects detects a redirect from https to http on its own host", async (t) => {
  trust(t, LOCALHOST);
  const attack = endingAt(attackNamed("open-redirects"), / redirects to /);
  const { outcome, findings } = await attackSampleServer(t, attack, {
    certificate: LOCALHOST,
    returnTo: (target = "/") => (/^https?:\/\/localhost:\d+\//i.test(target) ? target : "/"),
  });
  assert.equal(outcome, "got-through");
  for (const finding of findings) assert.match(finding, / redirects to http:\/\/localhost:\d+\/$/i);
});

test("reports an untrusted certificate in one line", async (t) => {
  const gate = await startSecureGate(t);
  for (const url of [`https://localhost:${gate.port}`, `https://127.0.0.1:${gate.port}`]) {
    const { code, stdout, stderr } = await runCommand(t, url);
    assert.deepEqual([code, stdout], [1, ""]);
    const [line, ...more] = stderr.split("\n");
    assert.equal(
      line,
      `latchkey-attack: ${url}: the certificate is not trusted (self-signed certificate); to trust its authority, set NODE_EXTRA_CA_CERTS=FILE`,
    );
    assert.deepEqual(more, [""]);
  }
});

test("rejects a trusted certificate that does not name the host", async (t) => {
  const gate = await startSecureGate(t);
  trust(t, LOCALHOST);
  const url = `https://127.0.0.1:${gate.port}`;
  await assert.rejects(findTarget({ url, guarded: [], fresh: false }), (error) => {
    assert.ok(error instanceof TargetError);
    assert.match(error.message, /does not match certificate's altnames/);
    return true;
  });
});

test("names the origin that a URL redirects to", async (t) => {
  const server = createServer((_request, response) => {
    response.writeHead(308, { Location: "https://auth.example.test/login" });
    response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, stderr } = await runCommand(t, url);
  assert.equal(code, 1);
  assert.equal(
    stderr,
    `latchkey-attack: ${url} redirects to https://auth.example.test; use that URL\n`,
  );
});
