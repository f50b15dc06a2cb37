import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { addedBy, applyDiff, filesOn, readPage } from "../frameworks/page.ts";
import { OWNER, SECRET } from "../support/gate.ts";
import { startNode } from "../support/process.ts";
import { foldersIn, folderWith, ROOT } from "./folder-with.ts";

const read = (path: string): Promise<string> => readFile(join(ROOT, path), "utf8");

/** The pages about an example, by the name of both. */
const EXAMPLES = (await readdir(join(ROOT, "docs/frameworks")))
  .map((page) => page.replace(/\.md$/, ""))
  .filter((name) => name !== "fetch");

/** The files of an example that git tracks or would add. */
const filesOf = (name: string): readonly string[] =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate"], {
    cwd: join(ROOT, "examples", name),
    encoding: "utf8",
  })
    .trimEnd()
    .split("\n");

for (const name of EXAMPLES) {
  test(`the ${name} page shows the code of its example`, async () => {
    const shown = filesOn(await readPage(name));
    assert.ok(shown.length > 0, "finds files");
    const files = filesOf(name);
    for (const { file, only, kind, code } of shown) {
      const folder = /\d$/.test(only) ? `${name}-${only.at(-1)}` : name;
      if (kind === "whole") assert.equal(code, await read(`examples/${name}/${file}`), file);
      else if (only.includes("basePath")) {
        if (files.includes(file)) applyDiff(await read(`examples/${name}/${file}`), code);
      } else if (only !== "" || files.includes(file)) {
        const text = await read(`examples/${folder}/${file}`);
        for (const line of addedBy(code)) assert.ok(text.includes(line.trim()), `${file}: ${line}`);
      }
    }
    const named = new Set(shown.map(({ file }) => file));
    for (const file of files.filter((one) => /\.(ts|tsx|astro|svelte)$/.test(one))) {
      const code = await read(`examples/${name}/${file}`);
      assert.equal(named.has(file) || !/["/]latchkey/.test(code), true, file);
    }
  });
}

test("every example has a page; two versions of a framework share one, and the code", async () => {
  const others = ["express-4", "sveltekit-3"];
  const folders = await foldersIn(join(ROOT, "examples"));
  const examples = folders.filter((name) => !others.includes(name));
  assert.deepEqual([...examples].sort(), [...EXAMPLES].sort());
  assert.equal(await read("examples/express-4/app.ts"), await read("examples/express/app.ts"));
});

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
  await writeFile(join(dir, "app.ts"), code);
  await writeFile(join(dir, "walk.js"), WALK);
  const args = ["--conditions=latchkey-source", "walk.js", JSON.stringify(OWNER)];
  const env = { DATABASE: join(dir, "accounts.db"), AUTH_SECRET: SECRET };
  const { code: exit, stdout, stderr } = await startNode(t, args, env, dir).ended;
  assert.equal(exit, 0);
  assert.match(stderr, /^latchkey: sign-in rejected \{[^}]*\}\n$/, "only the last request");
  assert.deepEqual(JSON.parse(stdout), [
    [303, "/setup"],
    [303, "/"],
    [303, "/login"],
    [200, "Hello, owner"],
    [303, "/login?error=1"],
  ]);
});
