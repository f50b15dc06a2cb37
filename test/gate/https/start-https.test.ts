import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { findHttpsLocation, type HttpsTarget } from "../../../src/gate/https/start-https.ts";

const NAMES = ["home.example.org", "auth.example.org"];

const place: HttpsTarget = {
  port: 443,
  certificates: [{ hosts: NAMES, covers: (host) => NAMES.includes(host) }],
  publicUrl: undefined,
};

/** A certificate without names: for wildcards alone, or for addresses. */
const covering = (
  isCovered: boolean,
  ...hosts: readonly string[]
): Pick<HttpsTarget, "certificates"> => ({
  certificates: [{ hosts, covers: () => isCovered }],
});
const FRONT = { publicUrl: "https://front.example.org" };

interface Case {
  readonly host?: string;
  readonly url?: string;
  readonly proto?: string;
  readonly place?: Partial<HttpsTarget>;
  readonly location: string | undefined;
}

const located = ({ host, url = "/", proto, place: own }: Omit<Case, "location">) =>
  findHttpsLocation(
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
  // To the requested host, if a certificate covers it.
  { host: "home.example.org", location: "https://home.example.org/" },
  { host: "AUTH.Example.org:80", location: "https://auth.example.org/" },
  { host: "auth.example.org:8080", url: "/login", location: "https://auth.example.org/login" },
  { host: "auth.example.org", place: { port: 8443 }, location: "https://auth.example.org:8443/" },
  // Other hosts redirect to the first name.
  { host: "evil.example", location: "https://home.example.org/" },
  { host: "not a host", location: "https://home.example.org/" },
  { location: "https://home.example.org/" },
  // Certificates only for addresses or wildcards: to the requested host only if it is covered.
  {
    host: "[2001:db8::1]:80",
    place: { ...covering(true), port: 8443 },
    location: "https://[2001:db8::1]:8443/",
  },
  { host: "x.example.org", place: covering(true), location: "https://x.example.org/" },
  { host: "evil.example", place: covering(false), location: undefined },
  {
    host: "evil.example",
    place: { ...covering(false, "[2001:db8::1]", "192.0.2.1"), port: 8443 },
    location: "https://[2001:db8::1]:8443/",
  },
  // The path and the query are kept, and never become a host.
  { url: "/login?error=1", location: "https://home.example.org/login?error=1" },
  { url: "//evil.example/x", location: "https://home.example.org//evil.example/x" },
  { url: "http://evil.example/login", location: "https://home.example.org/" },
  // PUBLIC_URL is the target if it is an HTTPS URL.
  {
    host: "auth.example.org",
    url: "/login?a",
    place: { ...FRONT, port: 8443 },
    location: "https://front.example.org/login?a",
  },
  {
    host: "auth.example.org",
    place: { publicUrl: "http://front.example.org" },
    location: "https://auth.example.org/",
  },
  // Health checks, forward auth, and requests that already came over TLS.
  { url: "/healthz", location: undefined },
  { url: "/readyz?x=1", location: undefined },
  { url: "/forward-auth", location: undefined },
  { url: "/forward-auth?x", place: FRONT, location: undefined },
  { url: "/forward-auth/x", location: "https://home.example.org/forward-auth/x" },
  { url: "/.well-known/latchkey.json", place: FRONT, location: undefined },
  { url: "/healthzx", location: "https://home.example.org/healthzx" },
  { proto: "https", location: undefined },
  { proto: "https", place: FRONT, location: undefined },
  { proto: "http", location: "https://home.example.org/" },
];

for (const { location, ...asked } of cases) {
  const { place: own, ...request } = asked;
  const of = JSON.stringify({ ...request, ...own });
  test(`plain HTTP ${location === undefined ? "serves" : `redirects to ${location}`} ${of}`, () => {
    assert.equal(located(asked), location);
  });
}

test("redirects every host and target to a name of a certificate", () => {
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

test("reads the host from :authority over HTTP/2", () => {
  const incoming = { url: "/", headers: { ":authority": "auth.example.org:8443" } };
  assert.equal(findHttpsLocation(incoming, place), "https://auth.example.org/");
});
