import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { test } from "node:test";
import { settings as allSettings } from "../../../src/gate/settings/table.ts";
import { fileWith, tempDir } from "../../support/temp-dir.ts";
import { type OwnSettings, settled } from "./settings-reading.ts";

const DEFAULTS = settled({});

test("treats an empty value as unset in every source", async (t) => {
  const empty = Object.fromEntries(allSettings.map(({ name }) => [name, ""]));
  const file = await fileWith(t, allSettings.map(({ name }) => `${name}=\n`).join(""));
  assert.deepEqual(settled(empty, empty, file), DEFAULTS);
  assert.equal(settled({ PORT: "4001" }, { PORT: "" }).port, 4001);
});

test("prefers a flag to the environment, and the environment to the file", async (t) => {
  const lines = "PORT=4001\nHOST=127.0.0.2\nLOG_LEVEL='warn'\nNODE_ENV=production\n";
  const file = await fileWith(t, lines);
  const read = settled({ PORT: "4002", HOST: "::1" }, { PORT: "4003" }, file);
  assert.deepEqual([read.port, read.host], [4003, "::1"]);
  assert.deepEqual([read.logLevel, read.nodeEnv], ["warn", "production"]);
});

test("places database and token file in the data folder, by absolute path", () => {
  const { dataDir, database, setupTokenFile } = settled({ DATA_DIR: "here" });
  assert.deepEqual([dataDir, setupTokenFile], [resolve("here"), resolve("here/setup-token")]);
  assert.deepEqual(database, { kind: "sqlite", file: resolve("here/latchkey.db") });
  const elsewhere = settled({ DATA_DIR: "here", SETUP_TOKEN_FILE: "there/token" });
  assert.equal(elsewhere.setupTokenFile, resolve("there/token"));
});

test("reads another SQLite file or PostgreSQL from DATABASE_URL, also as a flag", () => {
  const read = (url: string) => settled({ DATABASE_URL: url }).database;
  assert.deepEqual(read("sqlite:here.db"), { kind: "sqlite", file: resolve("here.db") });
  assert.deepEqual(read("postgres://db/x"), { kind: "postgres", url: "postgres://db/x" });
  const flag = settled(
    { DATABASE_URL: "mysql://of/the/app" },
    { DATABASE_URL: "sqlite:/srv/a.db" },
  );
  assert.deepEqual(flag.database, { kind: "sqlite", file: "/srv/a.db" });
});

test("finds a program by its path, or in PATH", async (t) => {
  const dir = await tempDir(t);
  const program = join(dir, "set-up-domain");
  await writeFile(program, "#!/bin/sh\n", { mode: 0o755 });
  const found = (command: string) =>
    settled({ DOMAIN_SETUP_COMMAND: command, PATH: `/nowhere:${dir}` }).domainSetupCommand;
  assert.deepEqual([found("set-up-domain"), found(program)], [program, program]);
});

const good: readonly (readonly [string, string, Partial<OwnSettings>])[] = [
  ["PORT", "0", { port: 0 }],
  ["HOST", "0.0.0.0", { host: "0.0.0.0", allowedHosts: ["*"] }],
  ["HOST", "gate.example.org", { host: "gate.example.org", allowedHosts: ["*"] }],
  ["ALLOWED_HOSTS", "*", { allowedHosts: ["*"] }],
  ["ALLOWED_HOSTS", "Auth.Example.org., ::1", { allowedHosts: ["auth.example.org", "[::1]"] }],
  ["POST_LOGIN_LOCATION", "/app?x=1", { postLoginLocation: "/app?x=1" }],
  ["TRUSTED_PROXIES", "10.0.0.0/8, ::1", { trustedProxies: ["10.0.0.0/8", "::1"] }],
  ["LIMIT_IPV6_PREFIX", "64", { limitIpv6Prefix: 64 }],
  ["PUBLIC_URL", "https://auth.example.org", { publicUrl: "https://auth.example.org" }],
  ["PUBLIC_URL", "https://auth.example.org/", { publicUrl: "https://auth.example.org" }],
  ["PUBLIC_URL", "http://[::1]:3000/", { publicUrl: "http://[::1]:3000" }],
  ["COOKIE_DOMAIN", "example.org", { cookieDomain: "example.org" }],
  [
    "TRUSTED_ORIGINS",
    "https://app.example.org/, http://wiki.example.org:8080",
    { trustedOrigins: ["https://app.example.org", "http://wiki.example.org:8080"] },
  ],
  ["REQUIRE_SECOND_FACTOR", "family, admins", { requireSecondFactor: ["admins", "family"] }],
  ["REMEMBER_DEVICE", "off", { rememberDevice: false }],
  ["APP_NAME", "Zoë’s place & more", { appName: "Zoë’s place & more" }],
  ["ACCENT_COLOR", "#abc", { accentColor: "#abc" }],
  ["LOCALE", "de", { locale: "de" }],
  ["LOG_LEVEL", "error", { logLevel: "error" }],
  ["LOG_RETENTION", "12h", { logRetentionMs: 43_200_000 }],
  ["LOG_RETENTION", "999999d", { logRetentionMs: 86_399_913_600_000 }],
  ["METRICS_PORT", "9464", { metricsPort: 9464 }],
  ["METRICS_HOST", "::", { metricsHost: "::" }],
  ["AUTH_SECRET", " with spaces ", { secret: " with spaces " }],
  ["NODE_ENV", "production", { nodeEnv: "production" }],
];

test("accepts each setting in its form, and changes nothing else", () => {
  for (const [name, text, expected] of good) {
    assert.deepEqual(settled({ [name]: text }), { ...DEFAULTS, ...expected }, name);
  }
});

test("accepts a relative path to a logo and makes it absolute", async (t) => {
  const file = join(await tempDir(t), "logo.png");
  await writeFile(file, "x");
  const named = (path: string) => settled({ LOGO_FILE: path }).logoFile;
  assert.deepEqual([named(file), named(relative("", file))], [file, file]);
});
