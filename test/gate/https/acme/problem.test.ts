import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AcmeProblem,
  parseAcmeProblem,
  parseRetryAfter,
} from "../../../../src/gate/https/acme/problem.ts";
import type { HttpResponse } from "../../../../src/gate/https/http-request.ts";

function reply(status: number, body: string, retryAfter?: string): HttpResponse {
  return { status, body, headers: { "retry-after": retryAfter } };
}

const URN = "urn:ietf:params:acme:error:";

const responses: Readonly<Record<string, readonly [problem: string, message: RegExp]>> = {
  [`{"type":"${URN}unauthorized","detail":"wrong answer","status":403}`]: [
    "unauthorized",
    /refused \(unauthorized\): wrong answer$/,
  ],
  [`{"type":"${URN}badCSR"}`]: ["badCSR", /refused \(badCSR\): status 418$/],
  '{"detail":"no"}': ["unknown", /refused \(unknown\): no$/],
  '{"type":5,"detail":{}}': ["unknown", /: status 418$/],
  "<html>Bad gateway</html>": ["unknown", /: status 418$/],
  "": ["unknown", /: status 418$/],
};

for (const [text, [problem, message]] of Object.entries(responses)) {
  test(`reports what there is in the problem ${text}`, () => {
    const read = parseAcmeProblem(reply(418, text));
    assert.deepEqual([read.problem, read.code], [problem, "acme_refused"]);
    assert.match(read.message, message);
  });
}

test("reads the problem of an order that is none as one without a reason", () => {
  for (const document of [undefined, null, 5, "text", [], {}]) {
    assert.match(new AcmeProblem(document).message, /refused \(unknown\): no reason given$/);
  }
});

test("truncates a problem of 100,000 characters", () => {
  const long = JSON.stringify({ type: `${URN}${"t".repeat(1e5)}`, detail: "d".repeat(1e5) });
  const { message } = parseAcmeProblem(reply(400, long));
  assert.match(message, /t{5}.*d{5}/);
  assert.ok(message.length < 2_000, `${message.length} characters`);
});

const pauses: readonly (readonly [header: string | undefined, ms: number | undefined])[] = [
  [undefined, undefined],
  ["0", 0],
  ["120", 120_000],
  ["86401", 86_400_000],
  ["999999999", 86_400_000],
  ["1e9", undefined],
  ["", undefined],
  ["9".repeat(40), undefined],
  ["Fri, 31 Dec 2100 23:59:59 GMT", undefined],
];

test("reads Retry-After in whole seconds, limited to a day", () => {
  for (const [header, ms] of pauses) {
    assert.equal(parseRetryAfter(reply(429, "", header)), ms, String(header));
    assert.equal(parseAcmeProblem(reply(429, "", header)).retryAfterMs, ms, String(header));
  }
});
