import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { getNetwork } from "../../../src/lib/network.ts";
import { createSlowBodies } from "../src/attacks/slow-bodies.ts";
import { type Flaw, testFlaws } from "./flaws.ts";
import { attackSampleServer } from "./run-attack.ts";
import { clientOf, correct } from "./sample-behaviour.ts";

const header = (value: string | readonly string[] | undefined): string => String(value ?? "");

/** The token last seen on each connection. */
const seen = new WeakMap<object, string>();

const flaws: readonly Flaw[] = [
  {
    attack: "sign-in-limit",
    what: "has no rate limit",
    server: { addressOf: () => String(Math.random()) },
    finding: /there is no limit/,
  },
  ...["x-forwarded-for", "x-real-ip", "forwarded", "true-client-ip", "via"].map(
    (name): Flaw => ({
      attack: "sign-in-limit",
      what: `trusts ${name} from any client`,
      server: {
        addressOf: (request) => header(request.headers[name]) || correct.addressOf(request),
      },
      finding: new RegExp(`^${name}: `, "im"),
    }),
  ),
  {
    attack: "sign-in-limit",
    what: "counts attempts per spelling of the path",
    server: {
      pathOf: (request) => correct.pathOf(request).replace(/^\/login[/;].*/, "/login"),
      addressOf: (request) => `${correct.addressOf(request)} ${correct.pathOf(request)}`,
    },
    finding: /\/login;a=1/,
  },
  {
    attack: "sign-in-limit",
    what: "counts attempts per Host header",
    server: { addressOf: (request) => correct.addressOf(request) + header(request.headers.host) },
    finding: /another Host/,
  },
  {
    attack: "sign-in-limit",
    what: "does not count attempts in another form",
    server: {
      pathOf: (request) => correct.pathOf(request).replace(/\/$/, ""),
      isCounted: ({ url }) => url !== "/login/",
    },
    finding: /\/login\/ is not counted/,
  },
  {
    attack: "sign-in-limit",
    what: "counts each spelling of an address behind a proxy",
    server: { addressOf: clientOf },
    finding:
      /attempts by one IPv4 address in several[\s\S]*attempts by one IPv6 address in several/,
  },
  {
    attack: "sign-in-limit",
    what: "counts each address of an IPv6 network that it promises to count together",
    server: { addressOf: (request) => getNetwork(clientOf(request), 128) },
    finding: /8 attempts by the addresses of one \/64/,
  },
  {
    attack: "enumeration",
    what: "redirects differently for an unknown username",
    server: { refusedLocation: (user) => `/login?error=${user === undefined ? "unknown" : "1"}` },
    finding: /get different responses/,
  },
  {
    attack: "enumeration-by-time",
    what: "responds faster for an unknown username",
    server: {
      async passwordFits(user, password) {
        if (user === undefined) return false;
        await pause(12);
        return user.password === password;
      },
    },
    finding: /known \d+\.\d ms, unknown \d/,
  },
  {
    attack: "cross-site-forms",
    what: "accepts forms from any site",
    server: { isCrossSite: () => false },
    finding: /POST \/logout with Origin: https:\/\/elsewhere/,
  },
  {
    attack: "cross-site-forms",
    what: "accepts same-site requests",
    server: {
      isCrossSite: (request) =>
        request.headers["sec-fetch-site"] !== "same-site" && correct.isCrossSite(request),
    },
    finding: /same-site/,
  },
  {
    attack: "cross-site-forms",
    what: "accepts an Origin that contains its host",
    server: {
      isCrossSite: ({ headers }) =>
        headers["sec-fetch-site"] === undefined
          ? headers.origin !== undefined && !headers.origin.includes(header(headers.host))
          : !/^(same-origin|none)$/.test(header(headers["sec-fetch-site"])),
    },
    finding: /Origin: http:\/\/127\.0\.0\.1:\d+\.elsewhere\.example/,
  },
  {
    attack: "cross-site-forms",
    what: "accepts a matching Referer instead",
    server: {
      isCrossSite: (request) =>
        !header(request.headers.referer).includes(header(request.headers.host)) &&
        correct.isCrossSite(request),
    },
    finding: /Referer/,
  },
  {
    attack: "request-smuggling",
    what: "parses ambiguous requests",
    server: { server: { ...correct.server, insecureHTTPParser: true } },
    finding: /the hidden request got status 200/,
  },
  {
    attack: "pipelining",
    what: "keeps the session of a connection for later requests",
    server: {
      tokenIn(request) {
        const token = correct.tokenIn(request) ?? seen.get(request.socket);
        if (token !== undefined) seen.set(request.socket, token);
        return token;
      },
    },
    finding: /got a different response than when sent alone/,
  },
  {
    attack: "unread-pipelines",
    what: "answers all that a client has sent, whether it reads or not",
    server: {
      server: { keepAliveTimeout: 10_000 },
      pageHeaders: { ...correct.pageHeaders, "X-Padding": "x".repeat(12_000) },
    },
    finding: /more than 5 MiB of unread responses/,
  },
  {
    attack: "heavy-bodies",
    what: "fails on large bodies",
    server: { tooLarge: (bytes) => (bytes > 65_536 ? 500 : undefined) },
    finding: /a password of 1 MiB: status 500/,
  },
  {
    attack: "heavy-bodies",
    what: "blocks its event loop",
    server: {
      tooLarge(bytes) {
        // Long enough that a flood of these delays the guard noticeably.
        const until = performance.now() + (bytes > 60_000 ? 30 : 0);
        while (performance.now() < until);
        return undefined;
      },
    },
    finding: /the guard took \d+ ms/,
  },
];

testFlaws(flaws);

test("slow-bodies detects a server without timeouts", async (t) => {
  const patient = { headersTimeout: 0, requestTimeout: 0 };
  const { outcome, findings } = await attackSampleServer(t, createSlowBodies(900), {
    server: patient,
  });
  assert.equal(outcome, "got-through");
  assert.match(
    findings.join("\n"),
    /60 connections with slow headers were held[\s\S]*60 connections with a slow body were held/,
  );
});
