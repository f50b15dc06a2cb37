import { test } from "node:test";
import { checkCookie } from "../../src/doctor/cookie.ts";
import { whereInstalled } from "../proxies/program.ts";
import { startGate } from "../support/gate.ts";
import { assertFound, findings, installation, under } from "./installation.ts";
import { beforeGate, PASSED_ON, startNginx } from "./nginx.ts";

const RETURNED = /^browsers send the session cookie back/;
const NO_TLS = /has no TLS: others on the network can read passwords and sessions$/;

test("reports nothing without an address, or if nothing answers", async () => {
  assertFound(await findings(checkCookie, {}));
  assertFound(await findings(checkCookie, { url: "http://127.0.0.1:1" }));
});

/** Cases where the gate seems to be reached at another address. */
const cases: readonly {
  readonly name: string;
  readonly address: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly expected: readonly (readonly ["ok" | "hint" | "problem", RegExp, RegExp?])[];
}[] = [
  { name: "https", address: "https://auth.example.org", expected: [["ok", RETURNED]] },
  {
    name: "http to another machine",
    address: "http://auth.example.org",
    expected: [["hint", NO_TLS, /HTTPS_PORT/]],
  },
  {
    name: "http to a name of this machine, which browsers treat as secure",
    address: "http://app.localhost:3000",
    expected: [["ok", RETURNED]],
  },
  {
    name: "http where PUBLIC_URL is https",
    address: "http://auth.example.org",
    env: { PUBLIC_URL: "https://auth.example.org" },
    expected: [
      ["problem", /has no TLS, but PUBLIC_URL is https/, /redirect/],
      ["hint", NO_TLS],
    ],
  },
  {
    name: "another host than PUBLIC_URL",
    address: "https://www.example.org",
    env: { PUBLIC_URL: "https://auth.example.org" },
    expected: [["hint", /may not be signed in at the other$/, /PUBLIC_URL to https:\/\/www/]],
  },
  {
    name: "PUBLIC_URL itself",
    address: "https://auth.example.org",
    env: { PUBLIC_URL: "https://auth.example.org/", COOKIE_DOMAIN: "example.org" },
    expected: [["ok", RETURNED]],
  },
  {
    name: "a host outside COOKIE_DOMAIN",
    address: "https://auth.example.com",
    env: { COOKIE_DOMAIN: "example.org" },
    expected: [
      ["problem", /COOKIE_DOMAIN is example\.org, which does not include auth\.example\.com/],
    ],
  },
];

for (const { name, address, env = {}, expected } of cases) {
  test(`checks the cookie: ${name}`, async (t) => {
    const { url } = await startGate(t);
    const found = await checkCookie(under(address, installation({ env, url })));
    assertFound(found, ...expected);
  });
}

test("accepts the gate's loopback address whatever PUBLIC_URL is", async (t) => {
  const { url } = await startGate(t);
  const env = { PUBLIC_URL: "https://auth.example.org" };
  assertFound(await findings(checkCookie, { env, url }), ["ok", RETURNED]);
});

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

  for (const [reported, address, ...expected] of [
    ["http://example.org", "http://example.org", ["hint", NO_TLS]],
    ["https://example.org", "https://example.org", ["ok", RETURNED]],
    ["https://localhost", "http://localhost", ["ok", RETURNED]],
    [
      "https://example.org",
      "http://example.org",
      ["problem", /to the gate as https, so browsers do not send the cookie back/, /\$scheme/],
      ["hint", NO_TLS],
    ],
    [
      "http://example.org",
      "https://example.org",
      [
        "problem",
        /to the gate as http, so the cookie is set without Secure/,
        /X-Forwarded-Proto: https/,
      ],
    ],
  ] as const) {
    test(`reports ${expected[0][0]} if the proxy reports ${address} as ${reported}`, async (t) => {
      const gate = await startGate(t, { trustedProxies: ["127.0.0.1"] });
      await gate.setUp();
      const url = await startNginx(t, nginx, behindForwardAuth(gate.url, new URL(reported)));
      assertFound(await checkCookie(under(address, installation({ url }))), ...expected);
    });
  }

  test("reports a proxy that removes Set-Cookie, which prevents every sign-in", async (t) => {
    const gate = await startGate(t);
    const lines = `${PASSED_ON} proxy_hide_header Set-Cookie;`;
    const url = await beforeGate(t, nginx, gate.url, lines);
    assertFound(await findings(checkCookie, { url }), [
      "problem",
      /removes the Set-Cookie header/,
      /pass on Set-C/,
    ]);
  });

  test("reports nothing about the cookie for an address that redirects to https", async (t) => {
    const url = await startNginx(t, nginx, "return 301 https://auth.example.org$request_uri;");
    assertFound(await findings(checkCookie, { url }));
  });
});
