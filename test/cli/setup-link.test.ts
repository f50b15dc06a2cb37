import assert from "node:assert/strict";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { send } from "../support/client.ts";
import { runCommand, serveHere } from "../support/command.ts";
import { OWNER, startGate } from "../support/gate.ts";
import { tempDir } from "../support/temp-dir.ts";

const FORM = { ...OWNER, confirm: OWNER.password };

/** The link that `latchkey setup-link` prints, and the token in it. */
async function setupLink(env: Readonly<Record<string, string>>) {
  const { code, stdout, stderr } = await runCommand(["setup-link"], { env });
  assert.equal(code, 0);
  assert.match(stderr, /^latchkey: the token is in [^\n]+\n$/);
  const link = new URL(stdout.trimEnd());
  assert.equal(stdout, `${link}\n`, "the link and nothing else");
  return { link: link.href, url: link, token: link.searchParams.get("token") ?? "" };
}

const ofGate = ({ url, dataDir }: { readonly url: string; readonly dataDir: string }) => ({
  PORT: new URL(url).port,
  DATA_DIR: dataDir,
});

test("the link opens the setup page of the running gate with the token filled in", async (t) => {
  const gate = await startGate(t);
  const { link, token } = await setupLink(ofGate(gate));
  assert.ok(Buffer.from(token, "base64url").length >= 16, "too long to be guessed");

  const page = await send(link);
  assert.equal(page.status, 200);
  assert.match(page.body, new RegExp(`<input[^>]+name="token"[^>]+value="${token}"`));

  for (const form of [FORM, { ...FORM, token: "" }, { ...FORM, token: `${token}x` }]) {
    const refused = await gate.send("/setup", { form });
    assert.deepEqual([refused.status, refused.cookies], [403, []]);
    assert.match(refused.body, /invalid setup token/);
  }
  assert.ok(await gate.setUp({ token }));
  assert.deepEqual((await readdir(gate.dataDir)).includes("setup-token"), false);
});

test("prints a link to a host that ALLOWED_HOSTS allows", async (t) => {
  const env = { DATA_DIR: await tempDir(t), ALLOWED_HOSTS: "auth.test,home.test" };
  const { url } = await setupLink(env);
  assert.equal(url.origin, "http://auth.test:3000");
  const local = await setupLink({ ...env, ALLOWED_HOSTS: "auth.test,127.0.0.1" });
  assert.equal(local.url.origin, "http://127.0.0.1:3000");
});

for (const [same, name] of [
  ["DATA_DIR", "setup-token"],
  ["SETUP_TOKEN_FILE", "elsewhere"],
] as const) {
  test(`names the token file and the setting ${same} that the gate must share`, async (t) => {
    const dir = await tempDir(t);
    const file = join(dir, name);
    const env = { DATA_DIR: dir, [same]: same === "DATA_DIR" ? dir : file };
    const { stderr } = await runCommand(["setup-link"], { env });
    const said = `latchkey: the token is in ${file}: start the gate with the same ${same}\n`;
    assert.equal(stderr, said);
  });
}

test("a second link makes the first one invalid", async (t) => {
  const gate = await startGate(t);
  const first = await setupLink(ofGate(gate));
  const second = await setupLink(ofGate(gate));
  assert.notEqual(first.token, second.token);
  assert.equal((await gate.send("/setup", { form: { ...FORM, token: first.token } })).status, 403);
  assert.ok(await gate.setUp({ token: second.token }));
});

const CERTIFICATE = fileURLToPath(import.meta.url);

for (const { where, env, place } of [
  { where: "to PORT", env: { PORT: "8080" }, place: "http://127.0.0.1:8080" },
  {
    where: "to HTTPS if PORT serves HTTPS",
    env: { PORT: "8443", TLS_CERT_FILE: CERTIFICATE, TLS_KEY_FILE: CERTIFICATE },
    place: "https://127.0.0.1:8443",
  },
  {
    where: "to PORT, which redirects to HTTPS, if both are served",
    env: { PORT: "8080", HTTPS_PORT: "8443" },
    place: "http://127.0.0.1:8080",
  },
  {
    where: "to PUBLIC_URL if it is set",
    env: { PORT: "8080", PUBLIC_URL: "https://auth.example.org" },
    place: "https://auth.example.org",
  },
]) {
  test(`the link points ${where}`, async (t) => {
    const { url } = await setupLink({ DATA_DIR: await tempDir(t), ...env });
    assert.deepEqual([url.origin, url.pathname], [place, "/setup"]);
  });
}

test("refuses once there is an account", async (t) => {
  const gate = await startGate(t);
  await gate.setUp();
  const before = await readdir(gate.dataDir);
  const { code, stdout, stderr } = await runCommand(["setup-link"], { env: ofGate(gate) });
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /^latchkey: there is already an account[^\n]*\n$/);
  assert.deepEqual(await readdir(gate.dataDir), before);
});

test("a link made before the first start of the gate works", async (t) => {
  const dataDir = join(await tempDir(t), "data");
  const { token } = await setupLink({ DATA_DIR: dataDir });
  assert.equal((await stat(dataDir)).mode & 0o777, 0o700);
  const gate = await serveHere(t, { DATA_DIR: dataDir, HOST: "127.0.0.1" });
  assert.equal((await send(`${gate.url}/setup`, { form: FORM })).status, 403);
  const answer = await send(`${gate.url}/setup`, { form: { ...FORM, token } });
  assert.equal(answer.status, 303);
  assert.ok(answer.session);
});

test("the link has a host and a port that a browser can open", async (t) => {
  const dataDir = await tempDir(t);
  const hostOf = async (env: Readonly<Record<string, string>>) =>
    (await setupLink({ DATA_DIR: dataDir, ...env })).url.host;
  assert.equal(await hostOf({}), "127.0.0.1:3000");
  assert.equal(await hostOf({ HOST: "::1", PORT: "4000" }), "[::1]:4000");
  assert.equal(await hostOf({ HOST: "gate.example.org", PORT: "8080" }), "gate.example.org:8080");
  for (const HOST of ["0.0.0.0", "::"]) {
    const host = await hostOf({ HOST, PORT: "4000" });
    assert.match(host, /:4000$/);
    assert.doesNotMatch(host, /^(0\.0\.0\.0|\[::\])/);
  }
});

test("writes the token to SETUP_TOKEN_FILE and replaces an existing file", async (t) => {
  const dir = await tempDir(t);
  const file = join(dir, "elsewhere");
  await writeFile(file, "old", { mode: 0o644 });
  const { token } = await setupLink({ DATA_DIR: join(dir, "data"), SETUP_TOKEN_FILE: file });
  assert.equal(await readFile(file, "utf8"), `${token}\n`);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(dir), ["data", "elsewhere"]);
});

const refusals: readonly (readonly [
  string,
  string,
  (dir: string) => Promise<unknown> | undefined,
])[] = [
  ["a DATA_DIR below a regular file", "data", (dir) => writeFile(join(dir, "data"), "")],
  ["a folder in place of the token file", "token", (dir) => mkdir(join(dir, "token"))],
];

for (const [what, named, prepare] of refusals) {
  test(`reports ${what} in one line and prints no link`, async (t) => {
    const dir = await tempDir(t);
    await prepare(dir);
    const { code, stdout, stderr } = await runCommand(["setup-link"], {
      env: {
        DATA_DIR: join(dir, "data/below"),
        SETUP_TOKEN_FILE: join(dir, "token"),
      },
    });
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /^latchkey: [^\n]+\n$/);
    assert.ok(stderr.includes(join(dir, named)), stderr);
  });
}
