import assert from "node:assert/strict";
import { test } from "node:test";
import { settings as allSettings } from "../../../src/gate/settings/table.ts";
import { problems, settled, warnings, wholeProblems } from "./settings-reading.ts";

const bad: Readonly<Record<string, readonly string[]>> = {
  PORT: ["http", "-1", "65536", "3000 ", "0x10", "1e3", "3.5", "100000"],
  HOST: ["not a host", "http://127.0.0.1", "127.0.0.1:3000", "-x", "a/b", "fe80::1%eth0"],
  ALLOWED_HOSTS: ["https://a.test", "a.test:3000", "*.a.test", "a.test,", "a.test b.test", "/"],
  HTTPS_PORT: ["https", "-1", "70000", "443 ", ":443", "4.43"],
  ACME_DIRECTORY_URL: [
    ...["http://acme.example/directory", "acme.example/directory", "//acme.example/directory"],
    ...["file:///directory", "https://", "https://a b/", "localhost:14000"],
  ],
  ACME_CA_FILE: ["/nowhere/ca.pem", "/tmp", "/dev/null", "/etc/hostname"],
  POST_LOGIN_LOCATION: ["app", "/a\nb"],
  TRUSTED_PROXIES: [
    ...["10.0.0.0/33", "proxy.example", "10.0.0.1,", "::1/129", "10.0.0.0/8/8", "1.2.3.4/"],
  ],
  // Checked as the options of the library are, apart from a slash at the end.
  PUBLIC_URL: ["auth.example.org", "https://auth.example.org//", "/"],
  RETURN_DOMAINS: ["net", "*", "*.net", "https://other.net", "other.net:8443", "*other.net", "a,b"],
  COOKIE_DOMAIN: ["localhost", "example.org\r\nX-Evil: 1"],
  TRUSTED_ORIGINS: ["app.example.org", "https://app.example.org,", "https://app.example.org//"],
  REQUIRE_SECOND_FACTOR: ["ALL", "admins,", ",", " ", "admins;family", "*", "-a"],
  REMEMBER_DEVICE: ["on", "60d", "OFF", "30"],
  LOG_LEVEL: ["verbose", "INFO", "trace"],
  METRICS_PORT: ["on", "-1", "65536", "9464 ", ":9464", "127.0.0.1:9464"],
  METRICS_HOST: ["not a host", "http://127.0.0.1", "127.0.0.1:9464", "*"],
  SHARED_LIMITER: ["yes", "true", "ON", "1"],
  LIMIT_IPV6_PREFIX: ["31", "129", "0", "/64", "64.0", "064x", "-64", "1e2", "off"],
  LOG_RETENTION: ["400", "0d", "-1d", "1.5d", "400 d", "90s", "1y", "1234567d"],
  APP_NAME: [" ", "two\nlines"],
  ACCENT_COLOR: ["red", " #abc"],
  LOCALE: ["hu", "EN", "pt", "constructor"],
  LOGO_FILE: ["/nowhere/at/all.png", "/tmp", "/dev/null", "/etc/hostname", "/nowhere\nat.png"],
  DOMAIN_SETUP_COMMAND: ["/nowhere", "/etc/passwd", "/tmp", "sh -c true", "no-such-program"],
};

for (const [name, texts] of Object.entries(bad)) {
  test(`reports an invalid ${name} in one line with the value and what is expected`, () => {
    const takes = allSettings.find((one) => one.name === name)?.takes;
    for (const text of texts) {
      const env = { PATH: process.env.PATH, [name]: text };
      const shown = text.length > 40 || text.includes("@") ? "" : `=${JSON.stringify(text)}`;
      assert.deepEqual(problems(env), [`${name}${shown} is invalid: expected ${takes}`]);
    }
  });
}

for (const [given, missing] of [
  ["TLS_CERT_FILE", "TLS_KEY_FILE"],
  ["TLS_KEY_FILE", "TLS_CERT_FILE"],
] as const) {
  test(`rejects ${given} without ${missing}, and a file that cannot be read`, () => {
    const together = "TLS_CERT_FILE and TLS_KEY_FILE must be set together";
    assert.deepEqual(problems({ [given]: "/etc/hostname" }), [together]);
    assert.deepEqual(problems({ [given]: "/etc/hostname", [missing]: "" }), [together]);
    for (const path of ["/nowhere/at/all.pem", "/tmp", "/dev/null"]) {
      const [unreadable] = problems({ [given]: path, [missing]: "/etc/hostname" });
      assert.equal(unreadable, `${given}="${path}" is invalid: expected a readable file`);
    }
  });
}

test("reports all problems at once", () => {
  const found = problems({ PORT: "x", HOST: "a b", LATCHKEY_COLOUR: "red", LOG_LEVEL: "loud" });
  for (const name of ["PORT", "HOST", "LATCHKEY_COLOUR", "LOG_LEVEL"]) {
    assert.equal(found.filter((line) => line.startsWith(name)).length, 1, name);
  }
  assert.equal(found.length, 4);
});

test("does not repeat a value that may be a secret, in whichever setting it is", () => {
  const found = problems({
    PORT: `hunter2${"x".repeat(34)}`,
    PUBLIC_URL: "postgres://u:hunter2@db/x",
    AUTH_SECRET_PREVIOUS: "hunter2,,",
    DATABASE_URL: "postgres://u:hunter2:1@db/hunter2?hunter2=1",
    SETUP_TOKEN: "hunter2",
  });
  assert.equal(found.length, 5);
  assert.doesNotMatch(found.join("\n"), /hunter2/);
});

test("rejects an unknown LATCHKEY_ name and suggests the setting", () => {
  assert.deepEqual(problems({ LATCHKEY_PORT: "1" }), [
    "LATCHKEY_PORT is not a setting. Did you mean PORT?",
  ]);
  assert.deepEqual(problems({ LATCHKEY_COLOUR: "" }), ["LATCHKEY_COLOUR is not a setting"]);
});

test("ignores the variables that Kubernetes sets for a service named latchkey", () => {
  const linked = {
    LATCHKEY_SERVICE_HOST: "10.0.0.1",
    LATCHKEY_SERVICE_PORT: "3000",
    LATCHKEY_SERVICE_PORT_HTTP: "3000",
    LATCHKEY_PORT: "tcp://10.0.0.1:3000",
    LATCHKEY_PORT_3000_TCP_ADDR: "10.0.0.1",
  };
  assert.deepEqual(problems(linked), []);
  assert.equal(problems({ ...linked, LATCHKEY_COLOUR: "red" }).length, 1);
});

test("does not warn about variables of other programs", () => {
  const names = [
    ...["PATH", "LANG", "POST", "http_proxy", "HTTPS_PROXY", "NO_PROXY", "HOSTNAME", "HOSTS"],
    ...["DATABASE", "LOGNAME", "XDG_DATA_DIRS", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK"],
    ...["PUBLIC_KEY", "LOCALES", "PROXY_PORT", "TRUSTED_KEYS", "AUTH_TOKEN", "SESSION_SECRET"],
    ...["PORTS", "SECRET_KEY_BASE"],
  ];
  assert.deepEqual(warnings(Object.fromEntries(names.map((name) => [name, "x"]))), []);
});

test("warns about a name with the same words as a setting, or one or two letters away", () => {
  for (const [given, meant] of [
    ["TRUST_PROXY", "TRUSTED_PROXIES"],
    ["AUTH_SECRT", "AUTH_SECRET"],
    ["TLS_CERT", "TLS_CERT_FILE"],
  ] as const) {
    const warning = `${given} is not a setting. Did you mean ${meant}?`;
    assert.deepEqual(warnings({ [given]: "x" }), [warning]);
  }
  assert.equal(warnings({ DATADIR: "x", TRUSTED_PROXY: "x", POST_LOGIN_LOCATON: "/" }).length, 3);
});

test("rejects RETURN_DOMAINS without a PUBLIC_URL over https", () => {
  const domains = { RETURN_DOMAINS: "other.net,*.third.org" };
  for (const PUBLIC_URL of [undefined, "http://auth.example.org"]) {
    assert.equal(problems({ ...domains, PUBLIC_URL }).length, 1);
  }
  const { returnDomains } = settled({ ...domains, PUBLIC_URL: "https://auth.example.org" });
  assert.deepEqual(returnDomains, ["other.net", "*.third.org"]);
});

test("rejects public suffixes in COOKIE_DOMAIN and RETURN_DOMAINS and says why", () => {
  const env = { PUBLIC_URL: "https://auth.example.org" };
  for (const [name, text, suffix] of [
    ["COOKIE_DOMAIN", "duckdns.org", "duckdns.org"],
    ["RETURN_DOMAINS", "*.github.io", "github.io"],
    ["RETURN_DOMAINS", "other.net, co.uk", "co.uk"],
  ] as const) {
    const [problem, ...others] = wholeProblems({ ...env, [name]: text });
    assert.deepEqual([problem?.about, others], [[name], []]);
    assert.match(
      problem?.message ?? "",
      new RegExp(`^${name}: ${suffix} is a public suffix, .*own`),
    );
  }
  const { returnDomains } = settled({ ...env, RETURN_DOMAINS: "me.github.io,*.home.lan" });
  assert.deepEqual(returnDomains, ["me.github.io", "*.home.lan"]);
});

/** Settings, and those whose values are unknown as a result. */
const abouts: readonly (readonly [Readonly<Record<string, string>>, readonly string[]])[] = [
  [{ PORT: "http" }, ["PORT"]],
  [{ LATCHKEY_PORT: "4000" }, []],
  [{ AUTH_SECRET_FILE: "/nowhere/secret" }, ["AUTH_SECRET"]],
  [{ AUTH_SECRET_FILE: "/etc/hostname", AUTH_SECRET: "x" }, ["AUTH_SECRET"]],
  [{ AUTH_SECRET_PREVIOUS_FILE: "/dev/null" }, ["AUTH_SECRET_PREVIOUS"]],
  [{ DATABASE_URL_FILE: "/etc/hostname" }, ["DATABASE_URL"]],
  [{ TLS_CERT_FILE: "/etc/hostname" }, ["TLS_CERT_FILE", "TLS_KEY_FILE"]],
  [{ SHARED_LIMITER: "on" }, ["SHARED_LIMITER", "DATABASE_URL"]],
  [
    { COOKIE_DOMAIN: "example.test", PUBLIC_URL: "https://auth.example.org" },
    ["PUBLIC_URL", "COOKIE_DOMAIN"],
  ],
];
for (const [env, about] of abouts) {
  const names = Object.keys(env).join(" and ");
  test(`a problem with ${names} affects ${about.join(", ") || "no other setting"}`, () => {
    const [problem, ...others] = wholeProblems(env);
    assert.deepEqual([problem?.about, others], [about, []]);
  });
}
