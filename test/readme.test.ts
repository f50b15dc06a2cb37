import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parseEnv, promisify } from "node:util";
import { readSettings } from "../src/gate/settings/settings.ts";
import { exampleOf } from "./proxies/examples.ts";
import { send } from "./support/client.ts";
import { SECRET } from "./support/gate.ts";
import { startNode } from "./support/process.ts";
import { tempDir } from "./support/temp-dir.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const readme = await readFile(join(ROOT, "README.md"), "utf8");

/** A project with Latchkey installed that contains the example. */
async function exampleProject(dir: string): Promise<string> {
  const code = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
  const modules = join(dir, "node_modules");
  await mkdir(join(modules, "@hono"), { recursive: true });
  await symlink(ROOT, join(modules, "latchkey"));
  for (const name of ["hono", "@hono/node-server", "@types"]) {
    await symlink(join(ROOT, "node_modules", name), join(modules, name));
  }
  await writeFile(join(dir, "package.json"), '{ "type": "module" }');
  await writeFile(join(dir, "app.ts"), code.replace("port: 3000", "port: 0"));
  await writeFile(
    join(dir, "tsconfig.json"),
    JSON.stringify({
      extends: join(ROOT, "tsconfig.json"),
      compilerOptions: { types: ["node"], declaration: false, isolatedDeclarations: false },
      include: ["app.ts"],
    }),
  );
  return join(dir, "app.ts");
}

test("the example in the README type-checks", async (t) => {
  const dir = await tempDir(t);
  await exampleProject(dir);
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, "-p", dir]).catch(
    (error: { stdout: string }) => error,
  );
  assert.equal(stdout, "");
});

test("the example in the README admits only its owner", async (t) => {
  const dir = await tempDir(t);
  const app = await exampleProject(dir);
  const args = ["--conditions=latchkey-source", app];
  const { shows } = startNode(t, args, { AUTH_SECRET: SECRET }, dir);
  const [, url = ""] = await shows(/^Listening on (http:\/\/127\.0\.0\.1:\d+)\n/);
  const first = await send(`${url}/`);
  assert.deepEqual([first.status, first.location], [303, "/setup"]);

  const form = { username: "owner", password: "secret", confirm: "secret" };
  const headers = { Host: "evil.example" };
  assert.equal((await send(`${url}/setup`, { form, headers })).status, 421);
  const { session } = await send(`${url}/setup`, { form });
  const own = await send(`${url}/`, { session });
  assert.deepEqual([own.status, own.body], [200, "Hello, owner"]);
  const others = await send(`${url}/`);
  assert.deepEqual([others.status, others.location], [303, "/login"]);
  assert.match((await send(`${url}/account`, { session })).body, /action="\/account\/password"/);
});

test("the example in the README does not start without AUTH_SECRET", async (t) => {
  const dir = await tempDir(t);
  const args = ["--conditions=latchkey-source", await exampleProject(dir)];
  const { code, stderr } = await startNode(t, args, { AUTH_SECRET: "" }, dir).ended;
  assert.equal(code, 1);
  assert.match(stderr, /Set AUTH_SECRET: `npx latchkey secret`/);
});

test("the README installs the tarball that npm pack makes of this version", async () => {
  const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const [, installed] = /^npm install \.\.\/latchkey\/(\S+)/m.exec(readme) ?? [];
  assert.equal(installed, `latchkey-${version}.tgz`);
});

test("the README's settings of a gate keep its accounts apart from those of the first try", () => {
  const [, lines = ""] = /<<EOF\n([\s\S]*?)\n *EOF\n/.exec(readme) ?? [];
  const env = parseEnv(lines.replace(/\$\(.*\)/, SECRET));
  const { settings, problems } = readSettings({ flags: {}, envFile: undefined, env });
  const tried = readSettings({ flags: {}, envFile: undefined, env: {} }).settings;
  assert.deepEqual([problems, settings.limitIpv6Prefix], [[], 64]);
  assert.notEqual(settings.dataDir, tried.dataDir);
});

test("the README shows the Caddy configuration that the proxy tests run", () => {
  const [, shown] = /```caddyfile\n([\s\S]*?)```/.exec(readme) ?? [];
  assert.equal(shown, exampleOf("caddy", "One host").configuration);
});
