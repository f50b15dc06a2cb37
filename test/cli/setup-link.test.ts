import assert from "node:assert/strict";
import { readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { deleteTokenFile } from "../../src/gate/setup-token-file.ts";
import { send } from "../support/client.ts";
import { failureOf, runCommand, serveHere } from "../support/command.ts";
import { SETUP_FORM, startConfigured, startGate } from "../support/gate.ts";
import { tempDir } from "../support/temp-dir.ts";

/** The link that `latchkey setup-link` prints, and the token in it. */
async function setupLink(env: Readonly<Record<string, string>>) {
  const { code, stdout, stderr } = await runCommand(["setup-link"], { env });
  assert.equal(code, 0);
  const where = `sqlite:${join(env.DATA_DIR ?? "", "latchkey.db")}`;
  assert.equal(stderr, `latchkey: the token is in ${where}: start the gate on the same database\n`);
  const link = new URL(stdout.trimEnd());
  assert.equal(stdout, `${link}\n`, "the link and nothing else");
  return { link, token: link.searchParams.get("token") ?? "" };
}

const ofGate = ({ url, dataDir }: { readonly url: string; readonly dataDir: string }) => ({
  PORT: new URL(url).port,
  DATA_DIR: dataDir,
});

test("the link opens the setup page of the running gate with the token filled in", async (t) => {
  const gate = await startGate(t);
  const { token: replaced } = await setupLink(ofGate(gate));
  const { link, token } = await setupLink(ofGate(gate));
  assert.ok(Buffer.from(token, "base64url").length >= 16, "too long to be guessed");

  const page = await send(link.href);
  assert.equal(page.status, 200);
  assert.match(page.body, new RegExp(`<input[^>]+name="token"[^>]+value="${token}"`));

  for (const wrong of ["", replaced]) {
    const refused = await gate.send("/setup", { form: { ...SETUP_FORM, token: wrong } });
    assert.deepEqual([refused.status, refused.cookies], [403, []]);
  }
  assert.ok(await gate.setUp({ token }));
  assert.deepEqual((await readdir(gate.dataDir)).includes("setup-token"), false);
});

const CERTIFICATE = fileURLToPath(import.meta.url);
const TLS = { TLS_CERT_FILE: CERTIFICATE, TLS_KEY_FILE: CERTIFICATE };

const targets: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // PORT serves HTTPS.
  "https://127.0.0.1:8443": { PORT: "8443", ...TLS },
  // PORT redirects to HTTPS.
  "http://127.0.0.1:8080": { PORT: "8080", HTTPS_PORT: "8443" },
  "https://auth.example.org": { PORT: "8080", PUBLIC_URL: "https://auth.example.org" },
  "http://[::1]:3000": { HOST: "::1" },
  // A host that is allowed, this machine if it is one of them.
  "http://auth.test:3000": { ALLOWED_HOSTS: "auth.test,home.test" },
  "http://127.0.0.1:3000": { ALLOWED_HOSTS: "auth.test,127.0.0.1" },
};
test("the link points to where browsers reach the gate", async (t) => {
  const DATA_DIR = await tempDir(t);
  for (const [origin, env] of Object.entries(targets)) {
    const { link } = await setupLink({ DATA_DIR, ...env });
    assert.deepEqual([link.origin, link.pathname], [origin, "/setup"]);
  }
  for (const HOST of ["0.0.0.0", "::"]) {
    const { link } = await setupLink({ DATA_DIR, HOST, PORT: "4000" });
    assert.equal(link.port, "4000");
    assert.doesNotMatch(link.host, /^(0\.0\.0\.0|\[::\])/);
  }
});

test("refuses once there is an account", async (t) => {
  const { gate } = await startConfigured(t);
  const before = await readdir(gate.dataDir);
  const refusal = await failureOf(["setup-link"], { env: ofGate(gate) });
  assert.equal(refusal, "there is already an account, so setup is closed");
  assert.deepEqual(await readdir(gate.dataDir), before);
});

test("a link made before the first start of the gate works", async (t) => {
  const dataDir = join(await tempDir(t), "data");
  const { token } = await setupLink({ DATA_DIR: dataDir });
  assert.equal((await stat(dataDir)).mode & 0o777, 0o700);
  const gate = await serveHere(t, { DATA_DIR: dataDir, HOST: "127.0.0.1" });
  assert.equal((await send(`${gate.url}/setup`, { form: SETUP_FORM })).status, 403);
  const answer = await send(`${gate.url}/setup`, { form: { ...SETUP_FORM, token } });
  assert.equal(answer.status, 303);
  assert.ok(answer.session);
});

test("refuses while SETUP_TOKEN_FILE has a token of the operator", async (t) => {
  const folder = await tempDir(t);
  const SETUP_TOKEN_FILE = join(folder, "token");
  await writeFile(SETUP_TOKEN_FILE, "a token of the operator");
  const env = { DATA_DIR: join(folder, "data"), SETUP_TOKEN_FILE };
  const refusal = await failureOf(["setup-link"], { env });
  assert.match(refusal, /has a setup token, which the gate requires: open the setup page with it/);
  assert.deepEqual(await readdir(folder), ["token"]);
  await writeFile(SETUP_TOKEN_FILE, " \n");
  await setupLink(env);
});

test("the setup keeps a file that SETUP_TOKEN_FILE names by mistake", async (t) => {
  const file = join(await tempDir(t), "notes");
  for (const text of ["two\nlines\n", "x".repeat(1_025)]) {
    await writeFile(file, text);
    await assert.rejects(deleteTokenFile(file), { code: "setup_token_foreign" });
    assert.equal(await readFile(file, "utf8"), text);
  }
});

test("refuses settings in which token or database is another one's file", async (t) => {
  const folder = await tempDir(t);
  const secret = join(folder, "secret");
  const alias = join(folder, "alias");
  await writeFile(secret, "a secret of more than thirty-two characters\n");
  await symlink(secret, alias);
  const database = join(folder, "latchkey.db");
  const base = { DATA_DIR: folder, PORT: "0" };
  for (const [env, names] of [
    [
      { AUTH_SECRET_FILE: secret, SETUP_TOKEN_FILE: secret },
      "SETUP_TOKEN_FILE and AUTH_SECRET_FILE",
    ],
    [
      { AUTH_SECRET_FILE: alias, SETUP_TOKEN_FILE: secret },
      "SETUP_TOKEN_FILE and AUTH_SECRET_FILE",
    ],
    [{ SETUP_TOKEN_FILE: database }, "SETUP_TOKEN_FILE and DATABASE_URL"],
    [{ SETUP_TOKEN_FILE: `${database}-wal` }, "SETUP_TOKEN_FILE and DATABASE_URL"],
    [
      { AUTH_SECRET_FILE: secret, DATABASE_URL: `sqlite:${alias}` },
      "DATABASE_URL and AUTH_SECRET_FILE",
    ],
  ] as const) {
    for (const command of ["serve", "setup-link"]) {
      const refusal = await failureOf([command], { env: { ...base, ...env } }, 2);
      assert.equal(refusal, `${names} name the same file: give each a file of its own`);
    }
  }
  assert.deepEqual((await readdir(folder)).sort(), ["alias", "secret"]);
});
