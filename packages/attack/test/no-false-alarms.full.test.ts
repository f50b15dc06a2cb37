import assert from "node:assert/strict";
import { test } from "node:test";
import { attacks } from "../src/attacks.ts";
import { attackNamed, attackSampleServer } from "./run-attack.ts";
import { correct } from "./sample-behaviour.ts";

/**
 * The sample server here lacks passkeys, HTTP/2 and OpenID Connect: other tests attack the library
 * and a gate.
 */
const ELSEWHERE = ["passkey-replay", "header-lists"];

for (const attack of attacks.filter(
  ({ name, needs }) => !ELSEWHERE.includes(name) && !needs.includes("clients"),
)) {
  test(`${attack.name} finds nothing on a correct server`, async (t) => {
    const { outcome, findings, tried } = await attackSampleServer(t, attack, {
      setupToken: "the token",
    });
    assert.deepEqual([outcome, findings], ["passed", []]);
    assert.ok(tried > 0);
  });
}

test("page-headers accepts forms that lead to the hosts of a domain", async (t) => {
  const { "Content-Security-Policy": policy = "" } = correct.pageHeaders;
  const shared = policy.replace("'self'", "'self' example.org *.example.org https://*.example.org");
  const { outcome, findings } = await attackSampleServer(t, attackNamed("page-headers"), {
    pageHeaders: { ...correct.pageHeaders, "Content-Security-Policy": shared },
  });
  assert.deepEqual([outcome, findings], ["passed", []]);
});

test("guarded-paths ignores empty responses to requests for other hosts", async (t) => {
  const { outcome, findings } = await attackSampleServer(t, attackNamed("guarded-paths"), {
    redirect(response, location, cookies) {
      const { host = "" } = response.req.headers;
      if (/^127\.0\.0\.1:\d{5}$/.test(host)) correct.redirect(response, location, cookies);
      else response.writeHead(200).end();
    },
  });
  assert.deepEqual([outcome, findings], ["passed", []]);
});
