import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { closureOf, type LockEntry, type Locked, projectOf } from "../../../proof/bench/lock.ts";

const read = (path: string): Promise<string> =>
  readFile(new URL(`../../../${path}`, import.meta.url), "utf8");

const lockText = await read("proof/bench/peers/packages/package-lock.json");
const locked: Locked = JSON.parse(lockText).packages;
const root: Locked = JSON.parse(await read("package-lock.json")).packages;
const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
  await read("proof/bench/peers/packages/package.json"),
);

const installed: Locked = {
  "": { dependencies: { app: "1.0.0" } },
  "node_modules/app": { version: "1.0.0", dependencies: { shared: "2", tool: "1" } },
  "node_modules/tool": {
    version: "1.0.0",
    optionalDependencies: { "tool-of-other-platform": "1" },
    peerDependencies: { host: "1", absent: "1" },
    peerDependenciesMeta: { absent: { optional: true } },
  },
  "node_modules/tool-of-other-platform": { version: "1.0.0", optional: true },
  "node_modules/host": { version: "1.0.0", dev: true },
  "node_modules/shared": { version: "1.0.0" },
  "node_modules/app/node_modules/shared": { version: "2.0.0", dependencies: { deep: "1" } },
  "node_modules/deep": { version: "1.0.0" },
  "node_modules/unrelated": { version: "1.0.0" },
};

test("the peers' lock file names no registry", () => {
  const entries = Object.values(locked);
  assert.ok(entries.length > 50, "the lock file has entries");
  assert.deepEqual(
    entries.filter((entry) => "resolved" in entry),
    [],
  );
  assert.doesNotMatch(lockText, /registry\.|\.tgz/);
});

test("the peers' lock file has the packages of every platform", () => {
  const named = Object.values(locked).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies),
  );
  assert.ok(named.includes("@node-rs/argon2-darwin-arm64"), "platform packages are included");
  const missing = named.filter(
    (name) => !Object.keys(locked).some((place) => place.endsWith(`node_modules/${name}`)),
  );
  assert.deepEqual(missing, []);
});

for (const [name, version] of Object.entries(dependencies)) {
  test(`pins ${name} to one version, the same as Latchkey's if it has one`, () => {
    assert.match(version, /^\d+\.\d+\.\d+$/);
    const own = root[`node_modules/${name}`];
    assert.equal(own?.version ?? version, version);
  });
}

test("resolves dependencies like Node, and no others", () => {
  assert.deepEqual(Object.keys(closureOf(installed, ["app"])).sort(), [
    "node_modules/app",
    "node_modules/app/node_modules/shared",
    "node_modules/deep",
    "node_modules/host",
    "node_modules/tool",
    "node_modules/tool-of-other-platform",
  ]);
});

test("rejects a package that is not in the lock file", () => {
  assert.throws(() => closureOf(installed, ["app", "missing"]), /missing/);
});

test("installs a dev dependency of one project that the other runs on", () => {
  const { lock } = projectOf(installed, ["host"]) as unknown as { lock: { packages: Locked } };
  assert.deepEqual(lock.packages["node_modules/host"], { version: "1.0.0" } satisfies LockEntry);
});
