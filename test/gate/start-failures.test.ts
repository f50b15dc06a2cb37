import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { DEVELOPMENT_SECRET } from "../../src/identity/session-token.ts";
import { makeCertificate, writeCertificate } from "../support/certificates.ts";
import { runCommand, serveHere } from "../support/command.ts";
import { SECRET } from "../support/gate.ts";
import { tempDir } from "../support/temp-dir.ts";

/** One line for a person: what it is about, and nothing of the program's inside. */
function assertOneLine({ stderr }: { readonly stderr: string }, about: RegExp): void {
  assert.match(stderr, /^latchkey: [^\n]+\n$/, "one line on standard error");
  assert.match(stderr, about);
  assert.doesNotMatch(stderr, /\bat \S+ \(|node:|file:\/\/|\.ts\b|Error\b/, "no stack trace");
  assert.doesNotMatch(stderr, /\\u\{/, "nothing that had to be escaped");
  assert.doesNotMatch(stderr, /PRIVATE|MIG/, "nothing of a key");
  assert.ok(stderr.length < 400, `short enough to read: ${stderr.length} characters`);
}

interface Obstacle {
  readonly about: RegExp;
  readonly env?: Readonly<Record<string, string>>;
  /** Puts the obstacle into the test's folder. The gate's data folder is `data` in it. */
  prepare?(dir: string): unknown;
}

const obstacles: Readonly<Record<string, Obstacle>> = {
  "a DATA_DIR below a regular file": {
    about: /DATA_DIR .*data.below: a file is in the place of a folder$/m,
    prepare: (dir) => writeFile(join(dir, "data"), ""),
    env: { DATA_DIR: "data/below" },
  },
  "a certificate with the key of another": {
    about: /TLS_CERT_FILE with TLS_KEY_FILE: the key belongs to another certificate$/m,
    prepare: (dir) => writeCertificate(dir, { ...makeCertificate(), key: makeCertificate().key }),
    env: { TLS_CERT_FILE: "cert.pem", TLS_KEY_FILE: "key.pem" },
  },
  "a HOST that this machine does not have": {
    about: /203\.0\.113\.5.*does not have that address/,
    env: { HOST: "203.0.113.5" },
  },
};

for (const [what, { about, env, prepare }] of Object.entries(obstacles)) {
  test(`${what} stops the start with one line and exit code 1`, async (t) => {
    const dir = await tempDir(t);
    await prepare?.(dir);
    const inDir = Object.fromEntries(
      Object.entries({ DATA_DIR: "data", ...env }).map(([name, text]) => [
        name,
        name === "HOST" ? text : join(dir, text),
      ]),
    );
    const ending = await runCommand(["serve"], {
      env: { PORT: "0", AUTH_SECRET: SECRET, ...inDir },
    });
    assertOneLine(ending, about);
    assert.equal(ending.code, 1);
    assert.doesNotMatch(ending.stdout, /listens/);
  });
}

const wrongSettings: readonly (readonly [string, Readonly<Record<string, string>>, RegExp])[] = [
  ["an invalid PORT", { PORT: "http" }, /PORT="http" is invalid: expected a number/],
  ["production without AUTH_SECRET", { NODE_ENV: "production" }, /AUTH_SECRET .*production/],
  [
    "production with a short previous secret",
    { NODE_ENV: "production", AUTH_SECRET: SECRET, AUTH_SECRET_PREVIOUS: SECRET.slice(0, 31) },
    /AUTH_SECRET_PREVIOUS is refused .*required 32 characters \(remove it/,
  ],
  ...Object.entries({
    HOST: "0.0.0.0",
    PUBLIC_URL: "https://auth.example.org",
    COOKIE_DOMAIN: "example.org",
    TRUSTED_PROXIES: "127.0.0.1",
    HTTPS_PORT: "0",
  }).flatMap(([name, text]) =>
    ["", DEVELOPMENT_SECRET].map(
      (secret) =>
        [
          `${secret === "" ? "no secret" : "the built-in secret"} with ${name}=${text}`,
          { [name]: text, AUTH_SECRET: secret },
          new RegExp(
            `AUTH_SECRET is refused for a gate that others can reach \\(${name}\\): .* \\(run \`latchkey secret\``,
          ),
        ] as const,
    ),
  ),
  [
    "the built-in secret as a previous one, for a gate that others can reach,",
    {
      HOST: "::",
      PUBLIC_URL: "https://auth.example.org",
      AUTH_SECRET: SECRET,
      AUTH_SECRET_PREVIOUS: DEVELOPMENT_SECRET,
    },
    /AUTH_SECRET_PREVIOUS is refused .*\(HOST, PUBLIC_URL\): .*public \(remove it/,
  ],
  [
    "a public suffix in COOKIE_DOMAIN",
    { AUTH_SECRET: SECRET, COOKIE_DOMAIN: "co.uk" },
    /COOKIE_DOMAIN: co\.uk is a public suffix.*such as example\.co\.uk/,
  ],
];

for (const [what, env, about] of wrongSettings) {
  test(`${what} stops the start with one line and exit code 2, and creates nothing`, async (t) => {
    const dir = await tempDir(t);
    const ending = await runCommand(["serve"], {
      env: { PORT: "0", DATA_DIR: join(dir, "data"), ...env },
    });
    assertOneLine(ending, about);
    assert.equal(ending.code, 2);
    assert.equal(ending.stdout, "");
    assert.deepEqual(await readdir(dir), []);
  });
}

test("on loopback, a gate starts without a secret, with its own certificate too", async (t) => {
  const dir = await tempDir(t);
  const { certFile, keyFile } = await writeCertificate(dir, makeCertificate());
  for (const env of [
    { PUBLIC_URL: "http://auth.localhost:3000", COOKIE_DOMAIN: "auth.localhost" },
    { HTTPS_PORT: "0", TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile },
  ]) {
    const gate = await serveHere(t, { DATA_DIR: join(dir, "data"), ...env });
    await gate.shows(/AUTH_SECRET is not set: using the built-in development secret/);
  }
});

test("commands that sign nothing need no secret in production", async (t) => {
  const env = { NODE_ENV: "production", DATA_DIR: await tempDir(t) };
  const link = await runCommand(["setup-link"], { env });
  assert.equal(link.code, 0);
  assert.doesNotMatch(link.stderr, /AUTH_SECRET/);
});
