import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { OWNER, SECRET } from "../support/gate.ts";
import { startNode } from "../support/process.ts";
import { folderWith, ROOT } from "./running-example.ts";

const read = (path: string): Promise<string> => readFile(join(ROOT, path), "utf8");

for (const name of ["express", "fastify", "hono", "node"]) {
  test(`the ${name} page shows the complete code of its example`, async () => {
    const page = await read(`docs/frameworks/${name}.md`);
    const [, code] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
    assert.equal(code, await read(`examples/${name}/app.ts`));
  });
}

/** The app's database as the page's code opens it, unless its environment says otherwise. */
const databases = { express: "data", fastify: "data", hono: "data", node: "data", fetch: "." };
for (const [name, folder] of Object.entries(databases)) {
  test(`the ${name} page resets a password in the database of its code`, async () => {
    const page = await read(`docs/frameworks/${name}.md`);
    assert.match(page, folder === "." ? /DATABASE = "accounts\.db"/ : /DATA_DIR = "\.\/data"/);
    const file = join(folder, "accounts.db");
    const command = `npx latchkey user password NAME --database-url sqlite:${file}`;
    assert.ok(page.includes(`## Reset a password\n\n\`\`\`sh\n${command}\n`), command);
  });
}

/** Sends requests to the code of the page, as a server would, and prints the responses. */
const WALK = `
import { auth, handle, store } from "./app.ts";

const { username, password } = JSON.parse(process.argv[2]);
const seen = [];
const ask = async (path, cookie, form) => {
  const body = form && new URLSearchParams(form);
  const request = new Request("http://localhost" + path, {
    method: form ? "POST" : "GET",
    headers: cookie ? { cookie } : {},
    ...(body ? { body } : {}),
  });
  const response = await handle(request, "192.0.2.1");
  seen.push([response.status, response.headers.get("location") ?? (await response.text())]);
  return response.headers.getSetCookie()[0]?.split(";")[0];
};
await ask("/");
const cookie = await ask("/setup", undefined, { username, password, confirm: password });
await ask("/");
await ask("/", cookie);
await ask("/login", undefined, { username, password: "wrong" });
await auth.close();
store.close();
process.stdout.write(JSON.stringify(seen));
`;

test("the first code block on the Fetch page admits its owner and no other user", async (t) => {
  const [, code = ""] = /```ts\n([\s\S]*?)```/.exec(await read("docs/frameworks/fetch.md")) ?? [];
  const dir = await folderWith(t, ["latchkey"]);
  await writeFile(join(dir, "package.json"), '{ "type": "module" }');
  await writeFile(join(dir, "app.ts"), code);
  await writeFile(join(dir, "walk.js"), WALK);
  const args = ["--conditions=latchkey-source", "walk.js", JSON.stringify(OWNER)];
  const env = { DATABASE: join(dir, "accounts.db"), AUTH_SECRET: SECRET };
  const { code: exit, stdout, stderr } = await startNode(t, args, env, dir).ended;
  assert.deepEqual({ exit, stderr }, { exit: 0, stderr: "" });
  assert.deepEqual(JSON.parse(stdout), [
    [303, "/setup"],
    [303, "/"],
    [303, "/login"],
    [200, "Hello, owner"],
    [303, "/login?error=1"],
  ]);
});
