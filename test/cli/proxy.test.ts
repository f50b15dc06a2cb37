import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { exampleOf } from "../proxies/examples.ts";
import { openAuth } from "../support/auth.ts";
import { failureOf, outputOf, runCommand } from "../support/command.ts";

const PROXIES = ["caddy", "haproxy", "nginx", "traefik"] as const;
const APP = ["--app", "app.example.org=http://127.0.0.1:8080"];

test("an app on the gate's host leaves every path of the gate's pages to it", async (t) => {
  const { auth } = await openAuth(t, { standalone: true, people: true });
  const { configuration } = exampleOf("traefik", "One host");
  const isRouted = [...configuration.matchAll(/\bPath(Prefix)?\(`([^`]+)`\)/g)].map(
    ([, prefix, own = ""]) =>
      (path: string) =>
        prefix === undefined ? path === own : path.startsWith(own),
  );
  const paths = [...auth.adapter.paths];
  const others = paths.filter((path) => !isRouted.some((matches) => matches(path)));
  const ofSite = ["/favicon.svg", "/robots.txt", "/.well-known/change-password"];
  const ofProxy = ["/healthz", "/readyz", "/forward-auth", "/forward-auth/*"];
  assert.deepEqual(others.sort(), ["/", ...ofSite, ...ofProxy].sort());
  assert.ok(isRouted.every((matches) => paths.some(matches)));
});

test("asks the gate where this machine reaches it", async () => {
  for (const [HOST, place] of [
    ["0.0.0.0", "127.0.0.1:4000"],
    ["::", "[::1]:4000"],
    ["10.0.0.7", "10.0.0.7:4000"],
  ] as const) {
    for (const proxy of PROXIES) {
      const printed = await outputOf(["proxy", proxy, ...APP], { env: { HOST, PORT: "4000" } });
      assert.ok(printed.includes(place), `${proxy}: ${HOST}`);
    }
  }
});

test("prints the script for HAProxy as it is in the sources", async () => {
  const script = await readFile(new URL("../../src/proxies/latchkey.lua", import.meta.url), "utf8");
  assert.match(script, /core\.register_action\("forward-auth"/);
  assert.equal(await outputOf(["proxy", "haproxy", "--script"]), script);
});

test("gives the gate a host of its own unless an app has that host", async () => {
  const own = ["--auth-host", "auth.example.org"];
  for (const proxy of PROXIES) {
    const COOKIE_DOMAIN = "example.org";
    const { code, stdout: told, stderr } = await runCommand(["proxy", proxy, ...APP, ...own]);
    assert.equal(code, 0);
    assert.match(stderr, /nobody can open app\.example\.org unless the gate has PUBLIC_URL=/);
    const PUBLIC_URL = "https://auth.example.org";
    assert.equal(
      await outputOf(["proxy", proxy, ...APP], { env: { PUBLIC_URL, COOKIE_DOMAIN } }),
      told,
    );
    assert.match(told, /\bauth\.example\.org\b/);
    assert.doesNotMatch(told, /latchkey-logo/);
    const alone = await outputOf(["proxy", proxy, ...APP]);
    assert.equal(await outputOf(["proxy", proxy, ...APP, "--auth-host", "app.example.org"]), alone);
    assert.match(alone, /latchkey-logo/);
  }
});

/** What no configuration may contain as it is: names of users are any text. */
const NAMES = String.fromCharCode(...Array.from({ length: 94 }, (_, at) => 33 + at))
  .replace(",", "")
  .concat(" \t\u007fü日\u2028");

test("Caddy serves the scheme and the port of PUBLIC_URL", async () => {
  for (const [PUBLIC_URL, site] of [
    ["https://app.example.org:8443", "app.example.org:8443 {"],
    ["http://app.example.org:8080", "http://app.example.org:8080 {"],
  ] as const) {
    const printed = await outputOf(["proxy", "caddy", ...APP], { env: { PUBLIC_URL } });
    assert.ok(printed.includes(`\n${site}\n`), site);
  }
});

test("a name of a user adds nothing to a configuration but itself", async () => {
  for (const proxy of PROXIES) {
    const lists = ["--users", `x,${NAMES}`, "--groups", "y , z"];
    const plain = await outputOf(["proxy", proxy, ...APP, "--users", "x,y", "--groups", "y,z"]);
    const printed = await outputOf(["proxy", proxy, ...APP, ...lists]);
    const [, name = ""] = /users=x,([\w.~%-]+)&groups=/.exec(printed) ?? [];
    assert.equal(decodeURIComponent(name), NAMES);
    assert.equal(printed.replaceAll(name, "y"), plain, proxy);
  }
});

const INJECTIONS = ["a b", "a;b", "a{b", "a}b", "a#b", "a$b", 'a"b', "a'b", "a`b", "a\\b", "a\nb"];
const asApp = (host: string): string => `${host}=http://127.0.0.1:80`;
const asUrl = (url: string): string => `a.test=${url}`;

/** Values of an option that no proxy can take, and how the message names the problem. */
const wrong: readonly (readonly [option: string, values: readonly string[], message: RegExp])[] = [
  [
    "--app",
    [...INJECTIONS.map(asApp), "=http://a", "a.test:80=http://a", "*=http://a"],
    /host name/,
  ],
  ["--app", [asApp(".test"), asApp("[::1]"), asApp("a.test/b"), asApp("~a")], /is not a host name/],
  ["--app", INJECTIONS.map((text) => asUrl(`http://${text}`)), /is not a URL such as http:/],
  [
    "--app",
    ["a.test", "a.test=", asUrl("https://b"), asUrl("b:80"), asUrl("//b")],
    /not a URL such/,
  ],
  [
    "--app",
    ["http://b/c", "http://b?c", "http://b#c", "http://u@b", "http://b:x"].map(asUrl),
    /URL/,
  ],
  ["--app", [asApp("app.example.org"), asApp("APP.example.org")], /same host/],
  ["--groups", [NAMES, "family, Staff", "a b", ","], /takes names of a-z/],
  ["--auth-host", [...INJECTIONS, "a.test:80", "https://a.test"], /is not a host name/],
  ["--public", INJECTIONS.map((text) => `/${text}`), /is not \/ and letters/],
  [
    "--public",
    ["/", "public", "/a//b", "/a/../b", "/.a", "/a%2fb", "/a?b", "/(a)", "/a*"],
    /letters/,
  ],
  [
    "--public",
    ["/login", "/login/", "/account/x", "/link", "/latchkey.css"],
    /belongs to the gate/,
  ],
  [
    "--remember",
    ["0s", "1", "61s", "1m", "01s", "-1s", "1s;"],
    /^--remember (takes 1s|needs a value)/,
  ],
];

test("refuses what is not a host, a URL, a path or a time", async () => {
  for (const [option, values, message] of wrong) {
    for (const given of values) {
      const line = await failureOf(["proxy", "nginx", ...APP, `${option}=${given}`], {}, 2);
      assert.match(line, message, `${option} ${given}`);
    }
  }
});

test("gives the gate the path of the handoff only at hosts of RETURN_DOMAINS", async () => {
  const apps = ["photos.other.net", "wiki.example.org"].flatMap((host) => [
    ...["--app", `${host}=http://127.0.0.1:8080`],
  ]);
  const env = { PUBLIC_URL: "https://auth.example.org", COOKIE_DOMAIN: "example.org" };
  for (const proxy of PROXIES) {
    const domains = { ...env, RETURN_DOMAINS: "other.net,example.org" };
    const printed = await outputOf(["proxy", proxy, ...apps], { env: domains });
    assert.match(printed, /\/login\/handoff/, proxy);
    assert.doesNotMatch(printed, /\/setup/, proxy);
    const refused = await failureOf(["proxy", proxy, ...apps], { env }, 2);
    assert.match(
      refused,
      /does not reach photos\.other\.net,.* set RETURN_DOMAINS=photos\.other\.net$/,
    );
    const silent =
      "    bind :80\n    http-request set-log-level silent if { path /login/handoff }\n";
    assert.equal(printed.includes(silent), proxy === "haproxy");
    if (proxy !== "caddy") continue;
    const unlogged = printed.split(/^}$/m).map((site) => site.includes("log_skip true"));
    const expected = [false, true, true, false, false];
    assert.deepEqual(unlogged, expected, "the gate and photos.other.net");
  }
});

test("refuses what a proxy cannot do, and what contradicts the settings", async () => {
  const cases = [
    [
      ["nginx"],
      { DATA_DIR: "no-such-folder" },
      /no-such-folder.*; without apps in a database, name each app with --app HOST=URL$/,
    ],
    [["nginx", ...APP], { PORT: "0" }, "PORT is 0: set the port of the gate"],
    [["caddy", ...APP, "--remember", "1s"], {}, "--remember is for nginx and haproxy"],
    [
      ["nginx", ...APP, "--remember", "21s"],
      { ASSERTIONS: "on" },
      "--remember takes 1s to 20s with ASSERTIONS=on",
    ],
    [["caddy", "--script"], {}, "--script is for haproxy"],
    [["haproxy", ...APP], { HOST: "gate" }, /^HAProxy asks the gate at an IP address only/],
    [
      ["nginx", ...APP, "--auth-host", "a.test"],
      { PUBLIC_URL: "https://b.test" },
      /^--auth-host is/,
    ],
    [
      ["nginx", ...APP],
      { PUBLIC_URL: "https://auth.b.test", COOKIE_DOMAIN: "b.test" },
      "the session of the sign-in at auth.b.test does not reach app.example.org, so nobody could open it: set RETURN_DOMAINS=app.example.org",
    ],
    [
      ["caddy", ...APP],
      { PUBLIC_URL: "https://auth.example.org", RETURN_DOMAINS: "other.net" },
      "the session of the sign-in at auth.example.org does not reach app.example.org, so nobody could open it: set COOKIE_DOMAIN=example.org or RETURN_DOMAINS=other.net,app.example.org",
    ],
    [
      ["caddy", ...APP, "--app", "wiki.example.org=http://127.0.0.1:81"],
      { PUBLIC_URL: "https://app.example.org" },
      /does not reach wiki\.example\.org,.* set COOKIE_DOMAIN=example\.org or RETURN_DOMAINS=wiki/,
    ],
    [["apache", ...APP], {}, /^proxy takes caddy, haproxy, nginx or traefik/],
  ] as const;
  for (const [args, env, message] of cases) {
    const line = await failureOf(["proxy", ...args], { env }, 2);
    if (typeof message === "string") assert.equal(line, message);
    else assert.match(line, message);
  }
});

test("traefik: guards each app except on public paths, where claims are removed", async () => {
  const more = ["--app", "wiki.example.org=http://wiki:80", "--public", "/a", "--public", "/b.c/"];
  const printed = await outputOf(["proxy", "traefik", ...APP, ...more, "--groups", "family"]);
  const public_ = String.raw`^(/a|/b\.c)(/[\w-][\w.-]*)*/?$`;
  const routers = /^ {2}routers:\n(.*?)^ {2}middlewares:/ms.exec(printed)?.[1] ?? "";
  const guarded = (name: string, host: string): string =>
    `    ${name}:
      rule: Host(\`${host}\`)
      middlewares: [claims, latchkey]
      service: ${name}
    ${name}-public:
      rule: Host(\`${host}\`) && PathRegexp(\`${public_}\`)
      middlewares: [claims]
      service: ${name}
`;
  const apps = guarded("app", "app.example.org") + guarded("app2", "wiki.example.org");
  assert.ok(routers.endsWith(apps), routers);
  const ofGate =
    /^ {4}gate:\n {6}rule: \(Host\(`app\.example\.org`\)\) && \(Path\(.*\) \|\| \(Host\(`wiki\.example\.org`\)\) && \(Path\(/;
  assert.match(routers, ofGate);
  // YAML refuses a key that occurs twice.
  const removed = [...printed.matchAll(/^ {10}([\w-]+): ""$/gm)].map(([, name]) => name);
  assert.deepEqual(removed, [...new Set(removed)]);
  for (const name of ["X-Script-Name", "X_Script_Name", "X-HTTP-Method-Override", "Proxy"])
    assert.ok(removed.includes(name), name);
  for (const name of [
    "Remote-User",
    "Remote-Groups",
    "Remote_User",
    "Remote-Name",
    "Remote_Email",
  ]) {
    assert.match(printed, new RegExp(`^ {10}${name}: ""$`, "m"));
  }
  assert.match(printed, /^ {8}address: \S+\/forward-auth\?authorization=pass&groups=family$/m);
  const ofApp2 = /^ {4}app2:\n {6}loadBalancer:\n {8}servers:\n {10}- url: http:\/\/wiki:80$/m;
  assert.match(printed, ofApp2);
});
