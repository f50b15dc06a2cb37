import assert from "node:assert/strict";
import { test } from "node:test";
import {
  canonicalHost,
  type HostRule,
  type HostVerdict,
  judgeHost,
} from "../../src/core/allowed-hosts.ts";

const ALONE = { publicUrl: undefined, cookieDomain: undefined };
const PUBLIC = { publicUrl: "https://auth.example.org:8443", cookieDomain: "example.org" };

const cases: readonly {
  readonly rule: HostRule;
  readonly verdict: HostVerdict;
  readonly hosts: readonly string[];
}[] = [
  {
    rule: { allowedHosts: ["*"], ...ALONE },
    verdict: "allowed",
    hosts: ["evil.example", "*", "", "not a host", "127.0.0.1:3000"],
  },
  {
    rule: { allowedHosts: "loopback-setup", ...ALONE },
    verdict: "allowed",
    hosts: [
      ...["localhost", "LOCALHOST:3000", "localhost.", "localhost.:3000"],
      ...["127.0.0.1:3000", "127.0.0.1.", "[::1]:3000"],
    ],
  },
  {
    rule: { allowedHosts: "loopback-setup", ...ALONE },
    verdict: "no-setup",
    hosts: [
      ...["evil.example:3000", "auth.example.org", "192.168.1.2", "0.0.0.0", "[::2]", "", "*"],
      ...["127.0.0.1.evil.example", "localhost.evil.example", "localhost.."],
      ...["localhost@evil.example", "evil.example#localhost", "evil.example/localhost", "a b"],
      ...["localhost\\evil.example", "localhost?evil.example", "[::1", "localhost:port"],
      "app.undefined",
    ],
  },
  {
    rule: { allowedHosts: "loopback-setup", ...PUBLIC },
    verdict: "allowed",
    hosts: ["auth.example.org", "AUTH.example.org.:1", "example.org", "a.b.example.org", "[::1]"],
  },
  {
    rule: { allowedHosts: "loopback-setup", ...PUBLIC },
    verdict: "no-setup",
    hosts: ["badexample.org", "example.org.evil.example", "org"],
  },
  {
    rule: { allowedHosts: ["example.test", "[2001:db8::1]"], ...PUBLIC },
    verdict: "allowed",
    hosts: ["EXAMPLE.test:80", "example.test.", "[2001:DB8:0::1]:3000", "auth.example.org"],
  },
  {
    rule: { allowedHosts: ["example.test", "[2001:db8::1]"], ...PUBLIC },
    verdict: "refused",
    hosts: ["a.example.test", "localhost", "127.0.0.1:3000", "example.org", "*", "", "[::1]"],
  },
];

for (const { rule, verdict, hosts } of cases) {
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
  assert.deepEqual(spelled.map(canonicalHost), [
    ...["auth.example.org", "[::1]", "[2001:db8::1]", "[::1]", "127.0.0.1"],
    ...["xn--bcher-kva.example", "*"],
  ]);
});

test("rejects an entry with a port, a wildcard, a scheme or a path", () => {
  const wrong = [
    ...["", "a.test:3000", "a.test:", "[::1]:80", "*.a.test", "https://a.test", "a.test/", "a b"],
    ...["a.test,b.test", "u@a.test", "a:b:c", "[::1", "."],
  ];
  for (const text of wrong) assert.equal(canonicalHost(text), undefined, text);
});
