import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  createAddressMatcher,
  getPeer,
  isAddressRange,
  normalizeAddress,
  ProxyTrust,
  parseHops,
} from "../../src/http/remote-address.ts";
import { Fault, isClientGone } from "../../src/lib/fault.ts";
import { anyCharacter } from "../support/any-character.ts";
import { fakeNodeRequest } from "../support/fake-node-request.ts";

const TRUSTED = ["10.0.0.0/8", "192.0.2.1", "2001:db8:1::/48", "::1"];
const PROXY = { remoteAddress: "10.0.0.1" };

/** The client's address in a header of a trusted proxy. */
const clientIn = (forwardedFor: string, proxies = new ProxyTrust(TRUSTED)): string =>
  proxies.getRemoteAddress(
    fakeNodeRequest({ socket: PROXY, headers: { "x-forwarded-for": forwardedFor } }),
  );

const forwarded: readonly (readonly [what: string, forwardedFor: string, address: string])[] = [
  ["nothing in the header", "", "10.0.0.1"],
  ["one hop", "203.0.113.7", "203.0.113.7"],
  ["the nearest hop that is not trusted", "198.51.100.1, 203.0.113.7", "203.0.113.7"],
  ["past trusted hops", "198.51.100.1, 203.0.113.7, 10.0.0.3, 192.0.2.1", "203.0.113.7"],
  ["what a client claims is not reached", "127.0.0.1, 10.9.9.9, 203.0.113.7", "203.0.113.7"],
  ["trusted hops only", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
  ["white space", "\t203.0.113.7 ,10.0.0.3  ", "203.0.113.7"],
  ["a port", "203.10.113.70:51234", "203.10.113.70"],
  ["an IPv6 hop in brackets", "[2001:db8:2::7]", "2001:db8:2::7"],
  ["an IPv6 hop in brackets with a port", "[2001:db8:2::7]:51234", "2001:db8:2::7"],
  ["a trusted IPv6 hop", "203.0.113.7, 2001:db8:1:ffff::1", "203.0.113.7"],
  ["another spelling of a trusted hop", "203.0.113.7, [0:0:0:0:0:0:0:1]:80", "203.0.113.7"],
  ["an IPv4-mapped IPv6 address", "::ffff:203.0.113.7", "203.0.113.7"],
  ["a trusted IPv4-mapped IPv6 address", "203.0.113.7, ::ffff:10.0.0.3", "203.0.113.7"],
  ["the long spelling of an address", "2001:0DB8:0002:0000:0000:0000:0000:0007", "2001:db8:2::7"],
  ["garbage", "garbage", "10.0.0.1"],
  ["garbage before a trusted hop", "203.0.113.7, garbage, 10.0.0.3", "10.0.0.3"],
  ["an empty hop", "203.0.113.7,", "10.0.0.1"],
  ["a leading zero", "010.0.0.1", "10.0.0.1"],
  ["something before the brackets", "x[2001:db8:2::7]", "10.0.0.1"],
  ["something after the brackets", "[2001:db8:2::7]x", "10.0.0.1"],
  ["something before an address with a port", "x203.0.113.7:80", "10.0.0.1"],
  ["something after the port", "203.0.113.7:80x", "10.0.0.1"],
  ["an open bracket", "[2001:db8:2::7", "10.0.0.1"],
];

for (const [what, forwardedFor, address] of forwarded) {
  test(`takes the address from the header of a trusted proxy: ${what}`, () => {
    assert.equal(clientIn(forwardedFor), address);
  });
}

test("reads no more of the header than it needs, and 32 hops at most", (t) => {
  const proxies = new ProxyTrust(TRUSTED);
  const { mock } = t.mock.method(proxies, "trusts");
  const client = `${"198.51.100.1,".repeat(2_000)}203.0.113.7, 10.0.0.3`;
  assert.equal(clientIn(client, proxies), "203.0.113.7");
  assert.equal(mock.callCount(), 1 + 2, "the connection and two hops");
  const trusted = `203.0.113.7${", 10.0.0.3".repeat(2_000)}`;
  mock.resetCalls();
  assert.equal(clientIn(trusted, proxies), "10.0.0.3");
  assert.equal(mock.callCount(), 1 + 32);
  assert.equal([...parseHops(client)].length, 32);
});

test("headers from a Unix socket count only if `local` is trusted", () => {
  const headers = { "x-forwarded-for": "203.0.113.7" };
  const request = fakeNodeRequest({ socket: { destroyed: false }, headers });
  for (const [trusted, address] of [
    [[], "local"],
    [["0.0.0.0/0", "::/0"], "local"],
    [["local"], "203.0.113.7"],
  ] as const) {
    assert.equal(new ProxyTrust(trusted).getRemoteAddress(request), address);
  }
  assert.equal(clientIn("local"), "10.0.0.1", "not as a hop");
});

test("a client cannot choose its address with its own header value", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 60 }), (claimed) => {
      const header = `${claimed}, 203.0.113.7, 10.0.0.3`;
      assert.equal(clientIn(header), "203.0.113.7");
    }),
  );
});

const spellings: readonly (readonly [address: string, canonical: string])[] = [
  ["203.0.113.7", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["::FFFF:203.0.113.7", "203.0.113.7"],
  ["::ffff:cb00:7107", "203.0.113.7"],
  ["0:0:0:0:0:ffff:203.0.113.7", "203.0.113.7"],
  ["1::ffff:203.0.113.7", "1::ffff:cb00:7107"],
  ["::ffff:203.0.113.7.8", "::ffff:203.0.113.7.8"],
  ["2001:DB8::1", "2001:db8::1"],
  ["2001:db8:0:0:0:0:0:1", "2001:db8::1"],
  ["::1", "::1"],
  ["::", "::"],
];

for (const [address, canonical] of spellings) {
  test(`normalizes ${address} to ${canonical}`, () => {
    assert.equal(normalizeAddress(address), canonical);
  });
}

test("matches addresses against ranges and single addresses", () => {
  const isTrusted = createAddressMatcher(TRUSTED);
  for (const address of ["10.0.0.0", "10.255.255.255", "192.0.2.1", "2001:db8:1::", "::1"]) {
    assert.equal(isTrusted(address), true, address);
  }
  const others = ["9.255.255.255", "11.0.0.0", "192.0.2.2", "2001:db8:2::", "::2", "x", ""];
  for (const address of others) assert.equal(isTrusted(address), false, address);
  assert.equal(createAddressMatcher([])("10.0.0.1"), false);
});

test("reads the client's address and other headers from a trusted proxy only", () => {
  const proxies = new ProxyTrust(["10.0.0.0/8"]);
  const headers = { "x-forwarded-for": "203.0.113.7", "x-forwarded-uri": "/page" };
  const readFrom = (remoteAddress: string): readonly unknown[] => {
    const request = fakeNodeRequest({ socket: { remoteAddress }, headers });
    return [proxies.getClient(request).remoteAddress, proxies.header(request, "x-forwarded-uri")];
  };
  for (const proxy of ["10.0.0.1", "10.0.0.1:4711", "[::ffff:10.0.0.1]:4711"])
    assert.deepEqual(readFrom(proxy), ["203.0.113.7", "/page"]);
  for (const client of ["192.0.2.1", "192.0.2.1:4711"])
    assert.deepEqual(readFrom(client), ["192.0.2.1", undefined]);
});

const invalidRanges = [
  ...["", "x", "localhost", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "10.0.0.0/1e1"],
  ...["10.0.0.0/ 8", "10.0.0.0/255.0.0.0", "2001:db8::/129", "[::1]"],
];

for (const range of invalidRanges) {
  test(`rejects the range ${JSON.stringify(range)}`, () => {
    assert.equal(isAddressRange(range), false);
  });
}

const over = (socket: object) => fakeNodeRequest({ socket, headers: {} });
const addressOver = (socket: object) => new ProxyTrust([]).getRemoteAddress(over(socket));

for (const socket of [{}, { remoteAddress: 7 }]) {
  test(`throws if the server does not provide the address: ${JSON.stringify(socket)}`, () => {
    assert.equal(getPeer(over(socket)), undefined);
    assert.throws(
      () => addressOver(socket),
      (error) =>
        error instanceof Fault &&
        error.code === "remote_address_unknown" &&
        /@hono\/node-server/.test(error.message),
    );
  });
}

for (const socket of [
  { destroyed: true },
  { destroyed: true, remoteAddress: undefined },
  { destroyed: false, localAddress: "192.0.2.9" },
]) {
  test(`reports a disconnected client as gone: ${JSON.stringify(socket)}`, () => {
    assert.throws(() => addressOver(socket), isClientGone);
  });
}
