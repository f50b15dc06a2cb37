import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { send } from "../support/client.ts";
import { countOf } from "../support/database.ts";
import { OWNER } from "../support/gate.ts";
import { ROOT, runExample, startExample } from "./running-example.ts";

const MAIN = join(ROOT, "src/cli/main.ts");
const EXAMPLES = ["express", "fastify", "hono", "node"] as const;

/** Opens a connection, sends one request and leaves the connection open. */
async function openIdleConnection(t: TestContext, url: string): Promise<void> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  t.after(() => socket.destroy());
  socket.on("error", () => {});
  socket.write(`GET /login HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  let said = "";
  while (!said.includes("</html>")) said += String((await once(socket, "data"))[0]);
}

/** The list items of the page, with the HTML escapes decoded. */
const readListItems = (page: string): readonly string[] =>
  [...page.matchAll(/<li>(.*?)<\/li>/g)].map(([, item = ""]) =>
    item.replace(/&(?:lt|#60);/g, "<").replace(/&(?:gt|#62);/g, ">"),
  );

test("EXAMPLES lists every example, and each one type-checks", async () => {
  const folders = readdirSync(join(ROOT, "examples"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  assert.deepEqual(folders.sort(), [...EXAMPLES]);
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const args = [tsc, "-p", join(ROOT, "examples")];
  const { stdout } = await promisify(execFile)(process.execPath, args).catch(
    (error: { stdout: string }) => error,
  );
  assert.equal(stdout, "");
});

for (const name of EXAMPLES) {
  test(`${name}: the example depends on the versions that the tests use`, async () => {
    const read = async (path: string) => JSON.parse(await readFile(join(ROOT, path), "utf8"));
    const { dependencies: named } = await read(`examples/${name}/package.json`);
    const { dependencies, devDependencies } = await read("package.json");
    const { latchkey, ...others } = named;
    assert.equal(latchkey, "file:../..");
    for (const [other, version] of Object.entries(others)) {
      assert.equal(version, { ...devDependencies, ...dependencies }[other], other);
    }
  });

  test(`${name}: shows escaped notes to the owner only and keeps them for the next sign-in`, async (t) => {
    const { url } = await startExample(t, name);
    const go = async (path: string, sending: Parameters<typeof send>[1] = {}) => {
      const asBrowser = { ...sending, headers: { Accept: "text/html", ...sending.headers } };
      const { status, location, session, body, headers } = await send(`${url}${path}`, asBrowser);
      return { status, location, session, body, type: headers["content-type"] };
    };
    const note = '<script>alert("1")</script>';

    const first = await go("/");
    assert.deepEqual([first.status, first.location], [303, "/setup?return_to=%2F"]);
    assert.match((await go("/setup")).body, /action="\/setup"/);
    assert.equal((await go("/setup", { headers: { Host: "evil.example" } })).status, 421);
    const setUp = await go("/setup", { form: { ...OWNER, confirm: OWNER.password } });
    assert.deepEqual([setUp.status, setUp.location], [303, "/"]);
    const { session } = setUp;
    const empty = await go("/", { session });
    assert.match(empty.body, /Notes of owner/);
    assert.match(empty.type ?? "", /^text\/html; charset=utf-8$/i);
    assert.deepEqual(readListItems(empty.body), []);
    assert.match((await go("/account", { session })).body, /action="\/account\/password"/);

    const added = await go("/notes", { session, form: { note } });
    assert.deepEqual([added.status, added.location], [303, "/"]);
    const page = await go("/", { session });
    assert.doesNotMatch(page.body, /<script/);
    assert.match(page.body, /(?:&lt;|&#60;)script/);
    assert.match(page.body, /<form method="post" action="\/logout"><button>Sign out/);

    const out = await go("/logout", { session, method: "POST" });
    assert.deepEqual([out.status, out.location, out.session], [303, "/login", ""]);
    for (const sending of [{}, { session: "" }]) {
      const locked = await go("/", sending);
      const back = "/login?return_to=%2F";
      assert.deepEqual([locked.status, locked.location, locked.body], [303, back, ""]);
    }
    const script = await go("/", { headers: { Accept: "application/json" } });
    assert.deepEqual([script.status, script.body], [401, '{"error":"sign_in_required"}']);
    const refused = await go("/notes", { form: { note: "from a stranger" } });
    assert.deepEqual([refused.status, refused.location], [303, "/login"]);

    const back = await go("/login", { form: OWNER });
    assert.deepEqual([back.status, back.location], [303, "/"]);
    const again = await go("/", { session: back.session });
    assert.deepEqual(
      readListItems(again.body).map((item) => item.replace(/&(?:quot|#34);/g, '"')),
      [note],
    );
  });

  test(`${name}: the example does not start without AUTH_SECRET`, async (t) => {
    const { code, stdout, stderr } = await (await runExample(t, name, {})).ended;
    assert.deepEqual({ code, stdout }, { code: 1, stdout: "" });
    assert.match(stderr, /Set AUTH_SECRET: `npx latchkey secret`/);
  });

  test(`${name}: the command of its page resets the password of the running app`, async (t) => {
    const { url, databaseFile } = await startExample(t, name);
    await send(`${url}/setup`, { form: { ...OWNER, confirm: OWNER.password } });
    const page = await readFile(join(ROOT, `docs/frameworks/${name}.md`), "utf8");
    const [, args = ""] = /^npx latchkey (user password .*)$/m.exec(page) ?? [];
    const cwd = dirname(dirname(databaseFile));
    const line = `printf 'another one' | "$0" -- "$1" ${args.replace("NAME", OWNER.username)} --password-stdin`;
    await promisify(execFile)("sh", ["-c", line, process.execPath, MAIN], { cwd });
    const signIn = (password: string) => send(`${url}/login`, { form: { ...OWNER, password } });
    assert.equal((await signIn("another one")).location, "/");
    assert.equal((await signIn(OWNER.password)).location, "/login?error=1");
  });

  test(`${name}: SIGTERM stops the example after all writes, also with idle connections`, async (t) => {
    const { url, child, ended, databaseFile } = await startExample(t, name);
    await send(`${url}/setup`, { form: { ...OWNER, confirm: OWNER.password } });
    await openIdleConnection(t, url);
    await send(`${url}/login`, { form: OWNER });
    child.kill("SIGTERM");
    const { code, signal, stdout, stderr } = await ended;
    assert.deepEqual({ code, signal, stderr }, { code: 0, signal: null, stderr: "" });
    assert.equal(stdout, `Notes at ${url}\n`);
    assert.equal(countOf(databaseFile, "log_entries"), 2);
  });
}
