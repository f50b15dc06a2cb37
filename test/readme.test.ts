import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { argumentsIn, printedBy } from "../scripts/docs.ts";
import { folderWith, ROOT } from "./examples/folder-with.ts";
import { typeErrors } from "./package/installed.ts";
import { exampleOf } from "./proxies/examples.ts";
import { send } from "./support/client.ts";
import { SECRET } from "./support/gate.ts";
import { startNode } from "./support/process.ts";

const readme = await readFile(join(ROOT, "README.md"), "utf8");

/** A project with Latchkey installed that contains the example. */
async function exampleProject(t: TestContext): Promise<string> {
  const code = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
  const dir = await folderWith(t, ["latchkey", "hono", "@hono/node-server", "@types"]);
  await writeFile(join(dir, "app.ts"), code.replace("port: 3000", "port: 0"));
  return dir;
}

test("the example in the README type-checks", async (t) => {
  assert.equal(await typeErrors(await exampleProject(t)), "");
});

test("the example in the README starts, and admits only its owner", async (t) => {
  const dir = await exampleProject(t);
  const args = ["--conditions=latchkey-source", "app.ts"];
  const { code, stderr } = await startNode(t, args, { AUTH_SECRET: "" }, dir).ended;
  assert.equal(code, 1);
  assert.match(stderr, /Set AUTH_SECRET: `npx --no latchkey secret`/);
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
  assert.equal((await send(`${url}/account`, { session })).location, "/account/profile");
  const { body } = await send(`${url}/account/sign-in`, { session });
  assert.match(body, /action="\/account\/password"/);
});

test("the command for Caddy on the same machine prints the Caddyfile that the proxy tests run", async () => {
  const page = await readFile(join(ROOT, "docs/deploy/README.md"), "utf8");
  const [, settings = ""] = /^ *cat > gate\.env <<EOF\n(.*?)^ *EOF$/ms.exec(page) ?? [];
  const [, words = ""] = /latchkey -- (proxy caddy .*?) > Caddyfile$/ms.exec(page) ?? [];
  const plain = settings.replace(/^ +/gm, "").replace(/^AUTH_SECRET=.*\n/m, "");
  const { configuration } = exampleOf("caddy", "One host");
  assert.equal(printedBy(argumentsIn(`latchkey ${words}`), plain), configuration);
});
