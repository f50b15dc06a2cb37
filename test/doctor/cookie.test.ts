import { test } from "node:test";
import { checkCookie } from "../../src/doctor/cookie.ts";
import { whereInstalled } from "../proxies/program.ts";
import { startConfigured, startGate } from "../support/gate.ts";
import { assertCheck, assertFound, installation, under } from "./installation.ts";
import { beforeGate, PASSED_ON, startNginx } from "./nginx.ts";

const RETURNED = ["ok", /^browsers send the session cookie back/] as const;
const NO_TLS = [
  "hint",
  /has no TLS: others on the network can read passwords and sessions$/,
  /HTTPS_PORT/,
] as const;

test("reports nothing without an address, or if nothing answers", async () => {
  await assertCheck(checkCookie, {});
  await assertCheck(checkCookie, { url: "http://127.0.0.1:1" });
});

const AUTH = "https://auth.example.org";
const OUTSIDE = [
  "problem",
  /COOKIE_DOMAIN is example\.org, which does not include auth\.example\.com/,
] as const;

/** The address at which the gate seems to be reached, its settings, and what the check finds. */
for (const [address, env, ...expected] of [
  [AUTH, {}, RETURNED],
  ["http://auth.example.org", {}, NO_TLS],
  // Browsers treat it as secure.
  ["http://app.localhost:3000", {}, RETURNED],
  [AUTH, { COOKIE_DOMAIN: "example.org" }, RETURNED],
  ["https://auth.example.com", { COOKIE_DOMAIN: "example.org" }, OUTSIDE],
] as const) {
  test(`checks the cookie at ${address} with ${JSON.stringify(env)}`, async (t) => {
    const { url } = await startGate(t);
    const visited = under(address, installation({ env: { ...env }, url }));
    assertFound(await checkCookie.run(visited), ...expected);
  });
}

whereInstalled("nginx", (nginx) => {
  /** An application behind forward auth, and the requested URL that the gate is given. */
  const behindForwardAuth = (gate: string, { protocol, host }: URL): string => `
    location ~ ^/(login|logout)$ { proxy_pass ${gate}; ${PASSED_ON} }
    location = /check {
      internal;
      proxy_pass ${gate}/forward-auth?deny=401;
      proxy_set_header Host ${host};
      proxy_set_header X-Forwarded-Proto ${protocol.replace(":", "")};
      proxy_set_header X-Forwarded-Host ${host};
      proxy_set_header X-Forwarded-Uri $request_uri;
    }
    location / {
      auth_request /check;
      auth_request_set $sign_in $upstream_http_location;
      error_page 401 = @sign_in;
      try_files /nothing =404;
    }
    location @sign_in { return 303 $sign_in; }
  `;
  const NOT_SENT = [
    "problem",
    /as https, so browsers do not send the cookie back/,
    /\$scheme/,
  ] as const;
  const INSECURE = [
    "problem",
    /as http, so the cookie is set without Secure/,
    /X-Forwarded-Proto/,
  ] as const;

  for (const [reported, address, ...expected] of [
    ["https://example.org", "https://example.org", RETURNED],
    ["https://localhost", "http://localhost", RETURNED],
    ["https://example.org", "http://example.org", NOT_SENT, NO_TLS],
    ["http://example.org", "https://example.org", INSECURE],
  ] as const) {
    test(`reports ${expected[0][0]} if the proxy reports ${address} as ${reported}`, async (t) => {
      const { gate } = await startConfigured(t, { trustedProxies: ["127.0.0.1"] });
      const url = await startNginx(t, nginx, behindForwardAuth(gate.url, new URL(reported)));
      assertFound(await checkCookie.run(under(address, installation({ url }))), ...expected);
    });
  }

  test("reports a proxy that removes Set-Cookie, which prevents every sign-in", async (t) => {
    const gate = await startGate(t);
    const lines = `${PASSED_ON} proxy_hide_header Set-Cookie;`;
    const url = await beforeGate(t, nginx, gate.url, lines);
    const removed = ["problem", /removes the Set-Cookie header/, /pass on Set-C/] as const;
    await assertCheck(checkCookie, { url }, removed);
  });

  test("reports nothing about the cookie for an address that redirects to https", async (t) => {
    const url = await startNginx(t, nginx, "return 301 https://auth.example.org$request_uri;");
    await assertCheck(checkCookie, { url });
  });
});
