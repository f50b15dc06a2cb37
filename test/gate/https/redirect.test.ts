import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type HttpsTarget, hostIn, secureLocation } from "../../../src/gate/https/redirect.ts";

const NAMES = ["home.example.org", "door.example.org"];

const place: HttpsTarget = {
  port: 443,
  names: NAMES,
  covers: (host) => NAMES.includes(host),
  publicUrl: undefined,
};

interface Case {
  readonly host?: string;
  readonly url?: string;
  readonly proto?: string;
  readonly place?: Partial<HttpsTarget>;
  readonly leads: string | undefined;
}

const located = ({ host, url = "/", proto, place: own }: Omit<Case, "leads">) =>
  secureLocation(
    {
      url,
      headers: {
        ...(host === undefined ? {} : { host }),
        ...(proto === undefined ? {} : { "x-forwarded-proto": proto }),
      },
    },
    { ...place, ...own },
  );

const cases: readonly Case[] = [
  // The host that was asked, where there is a certificate for it.
  { host: "home.example.org", leads: "https://home.example.org/" },
  { host: "door.example.org", leads: "https://door.example.org/" },
  { host: "DOOR.Example.org:80", leads: "https://door.example.org/" },
  { host: "door.example.org:8080", url: "/login", leads: "https://door.example.org/login" },
  { host: "door.example.org", place: { port: 8443 }, leads: "https://door.example.org:8443/" },
  { host: "door.example.org:3000", place: { port: 80 }, leads: "https://door.example.org:80/" },
  // Any other leads to the first name.
  { host: "evil.example", leads: "https://home.example.org/" },
  { host: "door.example.org.evil.example", leads: "https://home.example.org/" },
  { host: "door.example.org@evil.example", leads: "https://home.example.org/" },
  { host: "evil.example/door.example.org", leads: "https://home.example.org/" },
  { host: "evil.example#door.example.org", leads: "https://home.example.org/" },
  { host: "192.0.2.1", leads: "https://home.example.org/" },
  { host: "[2001:db8::1]:8080", leads: "https://home.example.org/" },
  { host: "", leads: "https://home.example.org/" },
  { host: "not a host", leads: "https://home.example.org/" },
  { host: "::1", leads: "https://home.example.org/" },
  { leads: "https://home.example.org/" },
  // A certificate for addresses or for many names says no name of its own.
  {
    host: "[2001:db8::1]:80",
    place: { names: [], covers: () => true, port: 8443 },
    leads: "https://[2001:db8::1]:8443/",
  },
  {
    host: "x.example.org",
    place: { names: [], covers: () => true },
    leads: "https://x.example.org/",
  },
  { place: { names: [] }, leads: undefined },
  { host: "not a host", place: { names: [] }, leads: undefined },
  // The path and the query go along, and never become a host.
  { url: "/login?error=1", leads: "https://home.example.org/login?error=1" },
  { url: "/?next=%2F%2Fevil.example", leads: "https://home.example.org/?next=%2F%2Fevil.example" },
  { url: "//evil.example/x", leads: "https://home.example.org//evil.example/x" },
  { url: "/\\evil.example", leads: "https://home.example.org/\\evil.example" },
  { url: "/@evil.example", leads: "https://home.example.org/@evil.example" },
  { url: "http://evil.example/login", leads: "https://home.example.org/" },
  { url: "https://evil.example/", leads: "https://home.example.org/" },
  { url: "evil.example:443", leads: "https://home.example.org/" },
  { url: "@evil.example", leads: "https://home.example.org/" },
  { url: ".evil.example", leads: "https://home.example.org/" },
  { url: "*", leads: "https://home.example.org/" },
  { url: "", leads: "https://home.example.org/" },
  // PUBLIC_URL decides where it is set, but only if it is about HTTPS.
  {
    host: "door.example.org",
    url: "/login?a",
    place: { publicUrl: "https://front.example.org", port: 8443 },
    leads: "https://front.example.org/login?a",
  },
  {
    url: ".evil.example",
    place: { publicUrl: "https://front.example.org:444" },
    leads: "https://front.example.org:444/",
  },
  {
    host: "door.example.org",
    place: { publicUrl: "http://front.example.org" },
    leads: "https://door.example.org/",
  },
  // What machines ask from nearby, and what has come by way of TLS already.
  { url: "/healthz", leads: undefined },
  { url: "/readyz?x=1", leads: undefined },
  { url: "/forward-auth", leads: undefined },
  { url: "/forward-auth?x", place: { publicUrl: "https://front.example.org" }, leads: undefined },
  { url: "/forward-auth/x", leads: "https://home.example.org/forward-auth/x" },
  { url: "//forward-auth", leads: "https://home.example.org//forward-auth" },
  { url: "/healthzx", leads: "https://home.example.org/healthzx" },
  { proto: "https", leads: undefined },
  { proto: "https", place: { publicUrl: "https://front.example.org" }, leads: undefined },
  { proto: "http", leads: "https://home.example.org/" },
];

for (const { leads, ...asked } of cases) {
  const { place: own, ...request } = asked;
  const of = JSON.stringify({ ...request, ...own });
  test(`over plain HTTP, ${of} ${leads === undefined ? "is answered as it is" : `leads to ${leads}`}`, () => {
    assert.equal(located(asked), leads);
  });
}

test("whatever host and target are asked for, the way leads to a name of a certificate", () => {
  const pieces = ["/", "\\", "@", ":", "?", "#", ".", "%2f", "[", "]", " ", "evil.example", "x"];
  const hostile = fc
    .array(fc.constantFrom(...pieces, ...NAMES, "443", "https:", "//"))
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(hostile, hostile, (host, url) => {
      const to = located({ host, url });
      if (to === undefined) return;
      const { protocol, hostname, username, port } = new URL(to);
      assert.deepEqual([protocol, username, port], ["https:", "", ""]);
      assert.ok(NAMES.includes(hostname), to);
    }),
    { numRuns: 1_000 },
  );
});

test("over HTTP/2 the host stands in :authority", () => {
  assert.equal(hostIn({ headers: { ":authority": "home.example.org:8443" } }), "home.example.org");
  assert.equal(hostIn({ headers: {} }), undefined);
});
