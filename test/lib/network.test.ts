import assert from "node:assert/strict";
import { BlockList } from "node:net";
import { test } from "node:test";
import fc from "fast-check";
import { getNetwork } from "../../src/lib/network.ts";

for (const [address, prefix, network] of [
  ["2001:db8:1:2:3:4:5:6", 64, "2001:db8:1:2::/64"],
  ["2001:db8:1:2:3:4:5:6", 56, "2001:db8:1::/56"],
  ["2001:db8:ffff:ffff::1", 36, "2001:db8:f000::/36"],
  ["2001:db8:ffff::1", 32, "2001:db8::/32"],
  ["2001:db8::ffff", 127, "2001:db8::fffe/127"],
  ["2001:db8::ffff", 128, "2001:db8::ffff"],
  ["2001:DB8:0::A:B", 128, "2001:db8::a:b"],
  ["2001:0db8:0:0:0:0:000a:000b", 64, "2001:db8::/64"],
  ["::1", 64, "::/64"],
  ["::1", 128, "::1"],
  ["::", 128, "::"],
  ["64:ff9b::192.0.2.1", 128, "64:ff9b::c000:201"],
  ["2001:db8::ffff:c000:201", 128, "2001:db8::ffff:c000:201"],
  ["fe80::1%eth0", 64, "fe80::%eth0/64"],
  ["fe80::1%eth0", 128, "fe80::1%eth0"],
] as const) {
  test(`${address} with prefix length ${prefix} is in ${network}`, () => {
    assert.equal(getNetwork(address, prefix), network);
  });
}

for (const prefix of [64, 128]) {
  test(`an IPv4 address is its own network, with prefix length ${prefix}`, () => {
    for (const address of ["192.0.2.1", "::ffff:192.0.2.1", "::FFFF:c000:201"]) {
      assert.equal(getNetwork(address, prefix), "192.0.2.1");
    }
  });
}

test("returns text that is not an address unchanged", () => {
  for (const text of ["", "unknown", "::1]:80/[", "::1]:80/[::1", "2001:db8::/64"]) {
    assert.equal(getNetwork(text, 64), text);
  }
});

test("two addresses share a network exactly when they share the prefix", () => {
  const address = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 });
  const text = (groups: readonly number[]): string =>
    groups.map((group) => group.toString(16)).join(":");
  fc.assert(
    fc.property(
      address,
      fc.integer({ min: 0, max: 127 }),
      fc.integer({ min: 1, max: 128 }),
      (groups, bit, prefix) => {
        // Never zero, so that neither address is an IPv4-mapped one.
        const one = [0x2001, ...groups.slice(1)];
        const flipped = one.with(bit >> 4, (one[bit >> 4] ?? 0) ^ (0x8000 >> (bit & 15)));
        const same = getNetwork(text(one), prefix) === getNetwork(text(flipped), prefix);
        assert.equal(same, bit >= prefix);
        const list = new BlockList();
        list.addSubnet(text(one), prefix, "ipv6");
        assert.equal(list.check(text(flipped), "ipv6"), same);
      },
    ),
  );
});
