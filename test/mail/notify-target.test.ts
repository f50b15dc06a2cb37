import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type NotifyTarget,
  parseNotifyUrl,
  readNotifyTarget,
} from "../../src/mail/notify-target.ts";

const BYTES = Buffer.from("0123456789abcdefghijklmn");
const TEXT = BYTES.toString();
const WHSEC = `whsec_${BYTES.toString("base64")}`;
const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;

function target(url: string, secret?: string): NotifyTarget {
  const reading = readNotifyTarget(url, secret);
  assert.ok(reading.kind === "target", url);
  return reading.target;
}

function problem(url: string, secret?: string): string {
  const reading = readNotifyTarget(url, secret);
  assert.ok(reading.kind === "problem", url);
  return reading.problem;
}

test("a webhook keeps its path and query, and sends its password in a header", () => {
  const { authorization, ...others } = target("https://ada:p%40ss@hook.example/a/b?c=d", TEXT);
  assert.equal(authorization, basic("ada:p@ss"));
  assert.deepEqual(others, {
    kind: "webhook",
    url: "https://hook.example/a/b?c=d",
    host: "hook.example",
    key: BYTES,
  });
  assert.equal(target("https://hook.example", TEXT).authorization, undefined);
});

test("plain http is for this machine", () => {
  for (const host of ["localhost:80", "127.0.0.1:8080", "[::1]:8080", "hooks.localhost"])
    assert.ok(parseNotifyUrl(`http://${host}/`), host);
  for (const host of ["hook.example", "10.0.0.1", "localhost.example", "127.0.0.1.example"])
    assert.equal(parseNotifyUrl(`http://${host}/`), undefined, host);
});

for (const [url, sent, host] of [
  ["ntfy://ntfy.example/home", "https://ntfy.example/", "ntfy.example"],
  ["ntfy://NTFY.example:8443/home", "https://ntfy.example:8443/", "ntfy.example:8443"],
  ["ntfy://localhost/home", "http://localhost/", "localhost"],
  ["ntfy://127.0.0.1:8080/home", "http://127.0.0.1:8080/", "127.0.0.1:8080"],
  ["ntfy://[::1]:8080/home", "http://[::1]:8080/", "[::1]:8080"],
  ["ntfy://bücher.example/home", "https://xn--bcher-kva.example/", "xn--bcher-kva.example"],
] as const) {
  test(`a topic of ${url} is sent to ${sent}`, () => {
    assert.deepEqual(target(url), {
      ...{ kind: "ntfy", url: sent, host, topic: "home", authorization: undefined },
    });
  });
}

test("ntfy takes a user with a password, or a token", () => {
  assert.equal(target("ntfy://ada:a%3Ab@ntfy.example/home").authorization, basic("ada:a:b"));
  assert.equal(target("ntfy://ntfy.example/home", "tk_1").authorization, "Bearer tk_1");
  assert.match(problem("ntfy://ada:b@ntfy.example/home", "tk_1"), /remove one of them$/);
  for (const secret of ["two words", "tk_1\r\nX-Evil: 1", "tk_é"])
    assert.match(problem("ntfy://ntfy.example/home", secret), /access token of ntfy/);
});

test("a webhook requires a secret of 24 bytes, as text or in base64", () => {
  assert.deepEqual(target("https://hook.example", TEXT), target("https://hook.example", WHSEC));
  const unpadded = `whsec_${Buffer.from(`${TEXT}x`).toString("base64").replaceAll("=", "")}`;
  assert.equal(target("https://hook.example", unpadded).kind, "webhook");
  assert.equal(target("https://hook.example", "é".repeat(12)).kind, "webhook");
  for (const secret of [
    ...[undefined, "short", TEXT.slice(1), `whsec_${TEXT}`, "whsec_"],
    ...[`${WHSEC}!`, `whsec_${"é".repeat(40)}`, `whsec_${BYTES.toString("base64").slice(4)}`],
  ]) {
    const text = problem("https://hook.example", secret);
    assert.match(text, /^NOTIFY_SECRET must have at least 24 bytes/);
    if (secret !== undefined && secret !== "whsec_") assert.doesNotMatch(text, new RegExp(secret));
  }
});

test("refuses what cannot be used", () => {
  for (const url of [
    ...["", "hook.example", "ftp://hook.example/", "https://", "https://a b/", "/hook", "//a/b"],
    ...[
      "https://hook.example/#part",
      "https://%zz:b@hook.example/",
      "https://a%0d:b@hook.example/",
    ],
    ...["https://a%3Ab:c@hook.example/", "file:///etc/passwd", "data:,x", "javascript:1"],
    ...["ntfy://ntfy.example", "ntfy://ntfy.example/", "ntfy:///home", "ntfy:home"],
    ...["ntfy://ntfy.example/a/b", "ntfy://ntfy.example/a b", "ntfy://ntfy.example/a%20b"],
    ...[`ntfy://ntfy.example/${"a".repeat(65)}`, "ntfy://ntfy.example/a?b=c", "ntfy://a/b#c"],
  ]) {
    assert.equal(parseNotifyUrl(url), undefined, url);
    assert.equal(problem(url, TEXT), "NOTIFY_URL is invalid");
  }
});
