import assert from "node:assert/strict";
import { test } from "node:test";
import { type HostRule, type HostVerdict, judgeHost } from "../../src/lib/allowed-hosts.ts";
import { normalizeHost } from "../../src/lib/host-name.ts";

const ALONE = { publicUrl: undefined, cookieDomain: undefined };
const PUBLIC = { publicUrl: "https://auth.example.org:8443", cookieDomain: "example.org" };

const ANY: HostRule = { allowed: ["*"], ...ALONE };
const LOOPBACK: HostRule = { allowed: "loopback-setup", ...ALONE };
const LOOPBACK_AND_PUBLIC: HostRule = { allowed: "loopback-setup", ...PUBLIC };
const LISTED: HostRule = { allowed: ["example.test", "[2001:db8::1]"], ...PUBLIC };

const cases: readonly (readonly [HostRule, HostVerdict, hosts: readonly string[]])[] = [
  [ANY, "allowed", ["evil.example", "*", "", "not a host", "127.0.0.1:3000"]],
  [LOOPBACK, "allowed", ["localhost", "LOCALHOST:3000", "localhost.", "localhost.:3000"]],
  [LOOPBACK, "allowed", ["127.0.0.1:3000", "127.0.0.1.", "[::1]:3000"]],
  [LOOPBACK, "no-setup", ["evil.example:3000", "auth.example.org", "192.168.1.2", "0.0.0.0"]],
  [LOOPBACK, "no-setup", ["[::2]", "", "*", "app.undefined", "a b", "[::1", "localhost:port"]],
  [LOOPBACK, "no-setup", ["127.0.0.1.evil.example", "localhost.evil.example", "localhost.."]],
  [LOOPBACK, "no-setup", ["localhost@evil.example", "localhost?evil.example"]],
  [LOOPBACK, "no-setup", ["evil.example#localhost", "evil.example/localhost"]],
  [LOOPBACK, "no-setup", ["localhost\\evil.example"]],
  [LOOPBACK_AND_PUBLIC, "allowed", ["auth.example.org", "AUTH.example.org.:1", "example.org"]],
  [LOOPBACK_AND_PUBLIC, "allowed", ["a.b.example.org", "[::1]"]],
  [LOOPBACK_AND_PUBLIC, "no-setup", ["badexample.org", "example.org.evil.example", "org"]],
  [LISTED, "allowed", ["EXAMPLE.test:80", "example.test.", "auth.example.org"]],
  [LISTED, "allowed", ["[2001:DB8::1]:3000"]],
  // The URL parser makes an allowed name of each, but a proxy has chosen by the host as it was sent.
  [
    LISTED,
    "refused",
    ["example%2etest", "ex\u00adample.test", "%65xample.test", "example\u3002test"],
  ],
  [LISTED, "refused", ["[2001:db8:0::1]", "EXAMPLE.test..", "\uff45xample.test"]],
  [LISTED, "refused", ["a.example.test", "localhost", "127.0.0.1:3000", "example.org"]],
  [LISTED, "refused", ["*", "", "[::1]"]],
];

for (const [rule, verdict, hosts] of cases) {
  for (const host of hosts) {
    test(`with ${JSON.stringify(rule)}, the host ${JSON.stringify(host)} is ${verdict}`, () => {
      assert.equal(judgeHost(rule, host), verdict);
    });
  }
}

test("normalises an entry to lower case, brackets and no trailing dot", () => {
  const spelled = [
    ...["Auth.Example.ORG.", "::1", "2001:DB8::1", "[0:0::1]", "127.0.0.1", "bücher.example", "*"],
  ];
  assert.deepEqual(spelled.map(normalizeHost), [
    ...["auth.example.org", "[::1]", "[2001:db8::1]", "[::1]", "127.0.0.1"],
    ...["xn--bcher-kva.example", "*"],
  ]);
});

test("rejects an entry with a port, a wildcard, a scheme or a path", () => {
  const wrong = [
    ...["", "a.test:3000", "a.test:", "[::1]:80", "*.a.test", "https://a.test", "a.test/", "a b"],
    ...["a.test,b.test", "u@a.test", "a:b:c", "[::1", "."],
  ];
  for (const text of wrong) assert.equal(normalizeHost(text), undefined, text);
});
