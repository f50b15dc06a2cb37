import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { foldersIn, ROOT } from "./folder-with.ts";

const read = async (path: string) => JSON.parse(await readFile(join(ROOT, path), "utf8"));

const { version, dependencies } = await read("package.json");

for (const name of await foldersIn(join(ROOT, "examples"))) {
  test(`${name}: the lock file is that of package.json and of Latchkey`, async () => {
    const example = await read(`examples/${name}/package.json`);
    const { packages } = await read(`examples/${name}/package-lock.json`);
    const { "": root, "node_modules/latchkey": latchkey, ...others } = packages;
    const again = "run `npm run build -- lock`";
    assert.deepEqual(root.dependencies, example.dependencies, again);
    assert.deepEqual(root.devDependencies, example.devDependencies, again);
    assert.equal(latchkey.version, version, again);
    assert.deepEqual(latchkey.dependencies, dependencies, again);
    assert.equal(latchkey.resolved, "file:../latchkey.tgz");
    assert.equal(latchkey.integrity, undefined, "the digest would change with every change");
    for (const [place, { resolved }] of Object.entries<{ resolved?: string }>(others)) {
      assert.equal(resolved, undefined, place);
    }
  });
}
