import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { type Flaw, testFlaws } from "./flaws.ts";
import { attackFresh, attackNamed } from "./run-attack.ts";
import { type Behaviour, correct } from "./sample-behaviour.ts";
import { startSampleServer } from "./sample-server.ts";

const header = (request: IncomingMessage, name: string): string =>
  String(request.headers[name] ?? "none");

const isDecodable = (text: string): boolean => {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
};

const asksForwardAuth = ({ url }: IncomingMessage): boolean => url === "/forward-auth";

const normalized = (path: string): string => new URL(path, "http://app").pathname;

/** A guard that leaves paths open before the app behind it changes them. */
function opens(
  isOpen: (url: string) => boolean,
  pathOfApp: (url: string) => string,
): Partial<Behaviour> {
  return {
    isGuarded: ({ url = "/" }) => !isOpen(url),
    pathOf: (request) => {
      const url = request.url ?? "/";
      return isOpen(url) ? pathOfApp(url) : correct.pathOf(request);
    },
  };
}

const isHealth = (url: string): boolean => /\/health$/.test(url);
const isBelowLogin = (url: string): boolean => url.startsWith("/login") && url !== "/login";

const servers: readonly (readonly [what: string, server: Partial<Behaviour>, finding: RegExp])[] = [
  [
    "guards one spelling of its path only",
    {
      pathOf: (request) => correct.pathOf(request).replace(/^\/+$/, "/"),
      isGuarded: ({ url }) => url === "/",
    },
    /GET \/\/: 200/,
  ],
  [
    "takes the path from a header",
    { isGuarded: (request) => header(request, "x-original-url") !== "/login" },
    /GET \/ with X-Original-URL: \/login: 200/,
  ],
  ["guards GET only", { isGuarded: ({ method }) => method !== "HEAD" }, /HEAD \/: 200/],
  ...["kube-probe", "GoogleHC/1.0", "ELB-HealthChecker", "Consul", "curl"].map(
    (agent) =>
      [
        `admits the user agent ${agent}`,
        { isGuarded: (request: IncomingMessage) => !header(request, "user-agent").includes(agent) },
        new RegExp(`GET / with User-Agent: ${agent}[^,]*: 200`),
      ] as const,
  ),
  [
    "admits an empty user agent",
    { isGuarded: (request) => header(request, "user-agent") !== "" },
    /GET \/ with User-Agent: : 200/,
  ],
  [
    "admits a health check that claims to be local",
    {
      isGuarded: (request) =>
        !header(request, "user-agent").startsWith("Go-http-client") ||
        header(request, "x-forwarded-for") !== "127.0.0.1",
    },
    /User-Agent: Go-http-client\S*, X-Forwarded-For: 127/,
  ],
  [
    "admits a health check at forward auth",
    {
      isGuarded: (request) =>
        !asksForwardAuth(request) || !header(request, "user-agent").startsWith("GoogleHC"),
    },
    /GET \/forward-auth with User-Agent: GoogleHC/,
  ],
  [
    "compares a rule with the fragment",
    opens(
      (url) => url.includes("#") && isHealth(url),
      (url) => url.split("#", 1)[0] ?? "/",
    ),
    /GET \/#\/health: 200/,
  ],
  [
    "compares a rule with an encoded fragment",
    opens(
      (url) => url.includes("%23") && isHealth(url),
      (url) => url.split("%23", 1)[0] ?? "/",
    ),
    /GET \/%23\/health: 200/,
  ],
  ["compares a rule with the query", opens(isHealth, normalized), /GET \/\?x=\/health: 200/],
  [
    "removes the prefix of a public path",
    opens(isBelowLogin, (url) => normalized(url.replace("/login", ""))),
    /GET \/login\.\.\/: 200/,
  ],
  [
    "normalizes a path after its rules",
    opens(isBelowLogin, normalized),
    /GET \/login\/%2e%2e\/: 200/,
  ],
  [
    "removes path parameters after its rules",
    opens(isBelowLogin, (url) => normalized(url.replace(";", ""))),
    /GET \/login\/\.\.;\/: 200/,
  ],
  [
    "compares a rule with an unnormalized path at forward auth",
    {
      isGuarded: (request) =>
        !asksForwardAuth(request) || !header(request, "x-forwarded-uri").startsWith("/login/.."),
    },
    /X-Forwarded-Uri: \/login\/\.\./,
  ],
  [
    "guards its host only without a dot at the end",
    { isGuarded: (request) => !/\.(:|$)/.test(header(request, "host")) },
    /GET \/ with Host: 127\.0\.0\.1\.:/,
  ],
  [
    "guards its host in one spelling only, and serves what a URL parser makes of it",
    { isGuarded: (request) => !header(request, "host").includes("%2e") },
    /GET \/ with Host: 127%2e0\.0\.1: 200/,
  ],
  [
    "guards its host on one port only",
    { isGuarded: (request) => !header(request, "host").endsWith(":443") },
    /GET \/ with Host: 127\.0\.0\.1:443: 200/,
  ],
  [
    "fails on a malformed bearer token",
    {
      tokenIn: (request) => {
        const [, token] = /^Bearer (.*)/.exec(header(request, "authorization")) ?? [];
        return token === undefined ? correct.tokenIn(request) : decodeURIComponent(token);
      },
    },
    /GET \/ with Authorization: Bearer %: 500/,
  ],
  [
    "admits a malformed Authorization header",
    { isGuarded: (request) => isDecodable(header(request, "authorization")) },
    /GET \/ with Authorization: Bearer %: 200/,
  ],
  [
    "fails on a malformed cookie",
    { tokenIn: (request) => decodeURIComponent(correct.tokenIn(request) ?? "") },
    /GET \/ with Cookie: session=%: 500/,
  ],
  [
    "admits a malformed cookie at forward auth",
    {
      isGuarded: (request) => !asksForwardAuth(request) || isDecodable(header(request, "cookie")),
    },
    /GET \/forward-auth with Cookie: session=%: 200/,
  ],
  ...["x-forwarded-host", "x-forwarded-uri", "x-forwarded-for"].map(
    (name) =>
      [
        `admits a request with an empty ${name} at forward auth`,
        {
          isGuarded: (request: IncomingMessage) =>
            !asksForwardAuth(request) || header(request, name) !== "",
        },
        new RegExp(`GET /forward-auth with ${name}: : 200`, "i"),
      ] as const,
  ),
];

testFlaws(
  servers.map(
    ([what, server, finding]): Flaw => ({ attack: "guarded-paths", what, server, finding }),
  ),
);

const lengthOf = (request: IncomingMessage, name: string): number =>
  Buffer.byteLength(String(request.headers[name] ?? ""));

testFlaws([
  {
    attack: "oversized-headers",
    what: "does not guard requests whose Host it cannot copy",
    server: {
      isGuarded: (request) =>
        lengthOf(request, "host") < 8_003 || lengthOf(request, "host") > 8_066,
    },
    finding: /^GET \/ with a Host of 80\d\d bytes: 200$/m,
  },
  {
    attack: "oversized-headers",
    what: "does not guard requests whose Host and Cookie are too long together",
    server: {
      isGuarded: (request) => {
        const bytes = 2 * lengthOf(request, "host") + lengthOf(request, "cookie");
        return bytes < 15_991 || bytes > 16_119 || lengthOf(request, "host") > 6_000;
      },
    },
    finding: /^GET \/ with a Host of 5000 bytes and a Cookie of \d+ bytes: 200$/m,
  },
  {
    attack: "oversized-headers",
    what: "does not guard requests with many header lines",
    server: { isGuarded: ({ rawHeaders }) => rawHeaders.length < 2 * 100 },
    finding: /^GET \/ with \d+ lines of X-Line: 200$/m,
  },
]);

test("guarded-paths detects a server that guards its host in small letters only", async (t) => {
  const { url, access } = await startSampleServer(t, {
    isGuarded: (request) => !header(request, "host").startsWith("LOCALHOST"),
  });
  const named = { url: url.replace("127.0.0.1", "localhost"), access };
  const { outcome, findings } = await attackFresh(named, attackNamed("guarded-paths"));
  assert.equal(outcome, "got-through");
  assert.match(findings.join("\n"), /GET \/ with Host: LOCALHOST:\d+: 200/);
});
