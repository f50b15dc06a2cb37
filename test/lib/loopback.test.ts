import assert from "node:assert/strict";
import { test } from "node:test";
import { isLoopbackHost } from "../../src/lib/loopback.ts";

for (const host of [
  ...["127.0.0.1", "127.8.9.10", "::1", "[::1]", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1"],
  ...["localhost", "LocalHost", "app.localhost", "a.b.localhost"],
]) {
  test(`${host} is a loopback host`, () => {
    assert.equal(isLoopbackHost(host), true);
  });
}

for (const host of [
  ...["128.0.0.1", "126.255.255.255", "10.0.0.1", "0.0.0.0", "::ffff:10.0.0.1"],
  ...["::", "::2", "[::2]"],
  ...["127.example.org", "127.0.0.1.example.org", "localhost.example.org", "mylocalhost"],
  ...["localhost.", ".localhost", "", "127.1", "x[::1]", "/run/postgresql"],
]) {
  test(`${JSON.stringify(host)} is not a loopback host`, () => {
    assert.equal(isLoopbackHost(host), false);
  });
}
