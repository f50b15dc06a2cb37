import assert from "node:assert/strict";
import { test } from "node:test";
import { isCrossSite, isSameHost } from "../../src/http/same-origin.ts";

const HOST = "home.example.org";
const TRUSTED = ["https://app.example.org"];

interface Origins {
  readonly secFetchSite?: string;
  readonly origin?: string;
  readonly host?: string | undefined;
  /** The header `X-Forwarded-Proto`. */
  readonly proto?: string;
  /** Whether the connection itself uses TLS. */
  readonly encrypted?: boolean;
}

type Case = readonly [what: string, headers: Origins];

const allowed: readonly Case[] = [
  ["no header at all", {}],
  ["the browser says same origin", { secFetchSite: "same-origin" }],
  ["a request that the user started", { secFetchSite: "none" }],
  [
    "same origin, with a matching origin",
    { secFetchSite: "same-origin", origin: `https://${HOST}` },
  ],
  [
    "same origin, behind a proxy that changes the host",
    { secFetchSite: "same-origin", origin: "https://outside.example" },
  ],
  ["an origin of this host", { origin: `http://${HOST}` }],
  ["an https origin behind a TLS proxy", { origin: `https://${HOST}` }],
  ["a port on both sides", { origin: `http://${HOST}:3000`, host: `${HOST}:3000` }],
  ["https and its default port in the host", { origin: `https://${HOST}`, host: `${HOST}:443` }],
  ["http and its default port in the host", { origin: `http://${HOST}`, host: `${HOST}:80` }],
  ["capitals in the host", { origin: `https://${HOST}`, host: "Home.Example.ORG" }],
  ["https over TLS", { origin: `https://${HOST}`, encrypted: true }],
  ["https behind a proxy that tells it", { origin: `https://${HOST}`, proto: "https" }],
  ["http behind a proxy that tells it", { origin: `http://${HOST}`, proto: "http" }],
  ["a trusted origin over TLS", { origin: "https://app.example.org", encrypted: true }],
  ["a trusted origin", { origin: "https://app.example.org" }],
  [
    "a trusted origin of another site",
    { origin: "https://app.example.org", secFetchSite: "cross-site" },
  ],
  ["a trusted sibling", { origin: "https://app.example.org", secFetchSite: "same-site" }],
];

const refused: readonly Case[] = [
  ["the browser says cross site", { secFetchSite: "cross-site" }],
  ["a sibling subdomain", { secFetchSite: "same-site" }],
  ["cross site with a matching origin", { secFetchSite: "cross-site", origin: `https://${HOST}` }],
  ["an unknown value", { secFetchSite: "same-planet" }],
  ["an empty value", { secFetchSite: "" }],
  ["another host", { origin: "https://evil.example" }],
  ["a host that only starts like it", { origin: `https://${HOST}.evil.example` }],
  ["a host that only ends like it", { origin: `https://evil${HOST}` }],
  ["another port", { origin: `http://${HOST}:8080` }],
  ["the other scheme's default port", { origin: `https://${HOST}:80` }],
  ["the host as the user name of another", { origin: `https://${HOST}@evil.example` }],
  ["http over TLS", { origin: `http://${HOST}`, encrypted: true }],
  ["http and the port of TLS", { origin: `http://${HOST}:443`, encrypted: true }],
  ["http behind a proxy that tells of TLS", { origin: `http://${HOST}`, proto: "https" }],
  ["HTTP in capitals over TLS", { origin: `HTTP://${HOST}`, encrypted: true }],
  ["an opaque origin over TLS", { origin: "null", encrypted: true }],
  ["an opaque origin", { origin: "null" }],
  ["an empty origin", { origin: "" }],
  ["an origin without a scheme", { origin: HOST }],
  ["a scheme other than http and https", { origin: `ftp://${HOST}` }],
  ["an extension's page", { origin: `chrome-extension://${HOST}` }],
  ["an origin, but no host", { origin: `https://${HOST}`, host: undefined }],
  ["an invalid host", { origin: `https://${HOST}`, host: "a b" }],
  ["the trusted host with another scheme", { origin: "http://app.example.org" }],
  ["the trusted origin with a slash", { origin: "https://app.example.org/" }],
];

function isRefused(origins: Origins): boolean {
  const { secFetchSite, origin, host, proto, encrypted } = { host: HOST, ...origins };
  const headers: Readonly<Record<string, string | undefined>> = {
    ...{ "sec-fetch-site": secFetchSite, "x-forwarded-proto": proto, origin, host },
  };
  return isCrossSite({ header: (name) => headers[name], connection: { encrypted } }, TRUSTED);
}

for (const [what, headers] of allowed) {
  test(`allows a form: ${what}`, () => {
    assert.equal(isRefused(headers), false);
  });
}

for (const [what, headers] of refused) {
  test(`refuses a form: ${what}`, () => {
    assert.equal(isRefused(headers), true);
  });
}

for (const [url, host, answer] of [
  ["https://home.example.org/page?a=b", "home.example.org", true],
  ["http://home.example.org:3000/", "home.example.org:3000", true],
  ["https://home.example.org/", "home.example.org:3000", false],
  ["https://evil.example/home.example.org", "home.example.org", false],
  ["//home.example.org/", "home.example.org", false],
  ["about:blank", "home.example.org", false],
  ["javascript://home.example.org/%0aalert(1)", "home.example.org", false],
  ["https://home.example.org/", "", false],
  ["https://home.example.org/", undefined, false],
  ["https://undefined/", undefined, false],
] as const) {
  test(`the URL ${url} ${answer ? "belongs" : "does not belong"} to the host ${host}`, () => {
    assert.equal(isSameHost(url, host), answer);
  });
}
