import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { caddy } from "../../../test/proxies/caddy.ts";
import { withPlaces } from "../../../test/proxies/examples.ts";
import { haproxy, script } from "../../../test/proxies/haproxy.ts";
import { nginx } from "../../../test/proxies/nginx.ts";
import { whereInstalled } from "../../../test/proxies/program.ts";
import { atAddress, type ProxyServer, startSite } from "../../../test/proxies/site.ts";
import { OWNER } from "../../../test/support/gate.ts";
import { findTarget } from "../src/find.ts";
import { type Result, runAttacks } from "../src/run.ts";
import { signInAs, type Target } from "../src/target.ts";
import { attackNamed } from "./run-attack.ts";

/** Runs proxy-headers on an app behind the proxy, configured as documented except for the changes. */
async function attackBehind(
  t: TestContext,
  proxy: ProxyServer,
  changes: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const changed: ProxyServer = {
    ...proxy,
    start: (test, configuration, places) =>
      proxy.start(test, withPlaces(configuration, changes), places),
  };
  const site = await startSite(t, changed, "One host");
  await site.gate.setUp();
  const target = await findTarget({ url: site.proxyUrl, guarded: [], echo: "/echo", fresh: false });
  assert.equal(await signInAs(target, OWNER.username, OWNER.password), "signed-in");
  return runOn(target, "proxy-headers");
}

async function runOn(target: Target, attack: string): Promise<Result> {
  const [result] = await runAttacks(target, {
    attacks: [attackNamed(attack)],
    granted: new Set(["account", "echo"]),
    withinMs: 120_000,
  });
  assert.ok(result);
  return result;
}

/** Runs oversized-headers on an app behind HAProxy, with its documented configuration or another one. */
async function attackHeaders(t: TestContext, proxy: ProxyServer): Promise<Result> {
  const site = await startSite(t, proxy, "One host");
  await site.gate.setUp();
  const target = await findTarget({ url: site.proxyUrl, guarded: ["/app"], fresh: false });
  const result = await runOn(target, "oversized-headers");
  if (result.outcome === "passed") assert.deepEqual(site.app.arrivals, []);
  return result;
}

/** HAProxy for any host, without the lines that deny a request when the guard script fails. */
function haproxyWithoutDeny(program: string): ProxyServer {
  const proxy = haproxy(program, withPlaces(script, { "MAX_BYTES = 15000": "MAX_BYTES = 99999" }));
  return {
    ...proxy,
    start: (t, configuration, places) =>
      proxy.start(
        t,
        configuration
          .replace(/^ +http-request deny .*\n/gm, "")
          .replace(/use_backend app if .*/, "default_backend app"),
        places,
      ),
  };
}

/** A flaw of the configuration, the change that makes it, and the finding. */
type FlawedProxy = readonly [
  what: string,
  changes: Readonly<Record<string, string>>,
  finding: RegExp,
];

function testProxy(proxy: ProxyServer, flaws: readonly FlawedProxy[]): void {
  test(`finds nothing on an app behind ${proxy.page}`, async (t) => {
    const { outcome, findings } = await attackBehind(t, proxy);
    assert.deepEqual([outcome, findings], ["passed", []]);
  });
  for (const [what, changes, finding] of flaws) {
    test(`proxy-headers detects a configuration of ${proxy.page} that ${what}`, async (t) => {
      const { outcome, findings } = await attackBehind(t, proxy, changes);
      assert.equal(outcome, "got-through");
      assert.match(findings.join("\n"), finding);
    });
  }
}

const nginxFlaws: readonly FlawedProxy[] = [
  [
    "passes on the client's Remote-User-Id",
    { "proxy_set_header Remote-User-Id $user_id;": "" },
    /^REMOTE-USER-ID: the app receives "remote-user-id: latchkey-attack"$/m,
  ],
  [
    "passes on names with underscores",
    { "listen 80;": "listen 80;\nunderscores_in_headers on;" },
    /^Remote_User: the app receives "remote_user: latchkey-attack"$/m,
  ],
  [
    "passes on names with other characters",
    { "listen 80;": "listen 80;\nignore_invalid_headers off;" },
    /^Remote\.User: the app receives "remote\.user: latchkey-attack"$/m,
  ],
  [
    "adds to the client's X-Forwarded-For",
    {
      "proxy_set_header X-Forwarded-For $remote_addr;":
        "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;",
    },
    /^X-Forwarded-For: the app receives "x-forwarded-for: 203\.0\.113\.7, /m,
  ],
  [
    "passes on the client's X-Forwarded-Host",
    { "proxy_set_header X-Forwarded-Host $host$host_port;": "" },
    /^X-Forwarded-Host: the app receives "x-forwarded-host: elsewhere\.example"$/m,
  ],
  [
    "passes on a header that chooses another page",
    { 'proxy_set_header X-Script-Name "";': "" },
    /^X-Script-Name: the app receives "x-script-name: latchkey-attack"$/m,
  ],
  [
    "passes on the session cookie",
    { "proxy_set_header Cookie $app_cookies;": "" },
    /the app receives the session token/,
  ],
];

const caddyFlaws: readonly FlawedProxy[] = [
  [
    "passes on aliases of Remote-User",
    { "request_header -Remote*": "request_header -Remote-*", "request_header -*_*": "" },
    /^Remote_User: the app receives "remote_user: latchkey-attack"$/m,
  ],
  [
    "passes on aliases of X-Forwarded-For",
    { "request_header -*_*": "" },
    /^X_Forwarded_For: the app receives "x_forwarded_for: 203\.0\.113\.7"$/m,
  ],
  [
    "drops the headers in Connection",
    { "request_header @no_websocket -Connection": "" },
    /^Connection: Remote-User: the app does not receive remote-user$/m,
  ],
  [
    "passes on a header that chooses another page",
    { "request_header -X-Script-Name": "" },
    /^X-Script-Name: the app receives "x-script-name: latchkey-attack"$/m,
  ],
  [
    "trusts every client's X-Forwarded-For",
    {
      "reverse_proxy 127.0.0.1:8080 {": "reverse_proxy 127.0.0.1:8080 {\ntrusted_proxies 0.0.0.0/0",
    },
    /^X-Forwarded-For: the app receives "x-forwarded-for: 203\.0\.113\.7, /m,
  ],
  [
    "passes on the session cookie",
    { 'header_up Cookie "(^|;)[ \\t]*session[ \\t]*=[^;]*" "$1"': "" },
    /the app receives the session token/,
  ],
];

whereInstalled("nginx", (program) => testProxy(atAddress(nginx(program)), nginxFlaws));
whereInstalled("caddy", (program) => testProxy(atAddress(caddy(program)), caddyFlaws));

whereInstalled("haproxy", (program) => {
  test("oversized-headers finds nothing on an app behind haproxy", async (t) => {
    const { outcome, findings } = await attackHeaders(t, atAddress(haproxy(program)));
    assert.deepEqual([outcome, findings], ["passed", []]);
  });

  test("oversized-headers detects a haproxy that continues when its script fails", async (t) => {
    const { outcome, findings } = await attackHeaders(t, atAddress(haproxyWithoutDeny(program)));
    assert.equal(outcome, "got-through");
    assert.match(findings.join("\n"), /^GET \/app with a Host of 80\d\d bytes: 200$/m);
  });
});
