import assert from "node:assert/strict";
import { isIP } from "node:net";
import { findRelyingParty } from "../../../src/features/passkeys/relying-party.ts";
import { normalizeAddress, ProxyTrust } from "../../../src/http/remote-address.ts";
import { addReturnTo } from "../../../src/http/return-to.ts";
import { isSameHost } from "../../../src/http/same-origin.ts";
import { getParameter } from "../../../src/http/web-request.ts";
import { judgeHost } from "../../../src/lib/allowed-hosts.ts";
import { parseHostName } from "../../../src/lib/host-name.ts";
import { getNetwork } from "../../../src/lib/network.ts";
import { isReturnTarget } from "../../../src/lib/return-target.ts";
import type { Parser } from "../parser.ts";

const HOST = "auth.example.test";
const SCOPES = [
  { own: `https://${HOST}`, domain: "example.test", port: "" },
  { own: `https://${HOST}:8443`, domain: "example.test", port: "8443" },
  { own: `https://${HOST}`, domain: undefined, port: "" },
];

/** Stays on the site, as browsers read it, and is unchanged after the sign-in. */
export const returnTarget: Parser = {
  seeds: [
    "/page?a=b#c",
    `https://${HOST}/`,
    "https://app.example.test/a",
    "//evil.test",
    "/\\evil",
  ],
  words: ["https:", "http:", "javascript:", "//", "/\\", "@", HOST, ".example.test", "evil.test"],
  maxMs: 20,
  check(target) {
    for (const { own, domain, port } of SCOPES) {
      const scope = { protocols: ["https:"], origins: [own], domains: [domain ?? []].flat(), port };
      if (!isReturnTarget(target, scope)) continue;
      const url = new URL(target, own);
      const labels = url.hostname.split(".").slice(-2).join(".");
      const isShared = url.protocol === "https:" && url.port === port && labels === domain;
      assert.ok(url.origin === own || isShared, `${target} leads to ${url.href}`);
      assert.equal(url.username + url.password, "");
      const location = addReturnTo("/login", target);
      assert.match(location, /^[\x21-\x7e]+$/);
      const query = location.slice("/login".length);
      assert.equal(getParameter({ query }, "return_to"), target);
    }
  },
};

const PEER = "10.0.0.1";
const RULE = { allowed: [HOST], publicUrl: undefined, cookieDomain: undefined };
const asking = (remoteAddress: string, text: string) => ({
  request: {},
  connection: { remoteAddress },
  method: "GET",
  path: "/",
  query: "",
  header: () => text,
  body: [],
  signal: undefined,
});

/** The client is the peer or a hop of the header, which counts only behind a trusted proxy. */
export const forwarded: Parser = {
  seeds: ["192.0.2.1", "192.0.2.1, 10.0.0.2", "[2001:db8::1]:443", "::ffff:10.0.0.3", "unknown, x"],
  words: ["10.0.0.2", "::ffff:", "fd00::1", "192.0.2.7:80", "[::1]", "fe80::1%eth0", ", ", "local"],
  maxMs: 20,
  check(text) {
    const trust = new ProxyTrust(["10.0.0.0/8", "fd00::/8"]);
    assert.equal(trust.getRemoteAddress(asking("192.0.2.9", text)), "192.0.2.9");
    const address = trust.getRemoteAddress(asking(PEER, text));
    assert.notEqual(isIP(address), 0);
    assert.equal(normalizeAddress(address), address);
    const hops = text.split(",").map((hop) => hop.trim().replace(/^\[(.*)\](:\d+)?$/, "$1"));
    const plain = hops.map((hop) => (isIP(hop) === 0 ? hop.replace(/:\d+$/, "") : hop));
    assert.ok(address === PEER || plain.map(normalizeAddress).includes(address));
    const network = getNetwork(address, 64);
    assert.equal(isIP(address) === 4 ? address : network, network);
  },
};

/** Returns the host that a URL parser finds, and admits only that. */
export const host: Parser = {
  seeds: [HOST, `${HOST}:8443`, "[::1]:80", "127.1", "AUTH.example.test.", "a@b", "xn--nxasmq6b"],
  words: [HOST, ":", "@", "/", "#", "[::1]", "localhost", "%2e", "0x7f.1", "evil.test"],
  maxMs: 20,
  check(text) {
    const name = parseHostName(text);
    const url = URL.parse(`http://${text}`);
    if (name !== undefined) assert.equal(url?.hostname.replace(/\.$/, ""), name);
    assert.equal(judgeHost(RULE, text) === "allowed", name === HOST);
    const party = findRelyingParty({ ...RULE, allowed: ["*"] }, text);
    if (party !== undefined) {
      assert.equal(isIP(party.id.replace(/^\[|\]$/g, "")), 0);
      for (const origin of party.origins) assert.equal(new URL(origin).hostname, party.id);
    }
    // As an Origin or a Referer.
    const other = URL.parse(text);
    if (isSameHost(text, HOST)) assert.equal(other?.host, HOST);
    if (isSameHost(`https://${HOST}`, text)) assert.equal(URL.parse(`https://${text}`)?.host, HOST);
  },
};
