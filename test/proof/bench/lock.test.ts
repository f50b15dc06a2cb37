import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import type { Locked } from "../../../proof/bench/lock.ts";

const PEERS = new URL("../../../proof/bench/peers/packages/package-lock.json", import.meta.url);

test("the peers' lock file has the packages of every platform, and names no registry", async () => {
  const text = await readFile(PEERS, "utf8");
  assert.doesNotMatch(text, /registry\.|\.tgz|"resolved"/);
  const packages: Locked = JSON.parse(text).packages;
  const named = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies),
  );
  assert.ok(named.includes("@node-rs/argon2-darwin-arm64"));
  const places = Object.keys(packages);
  const isThere = (name: string) => places.some((one) => one.endsWith(`node_modules/${name}`));
  for (const name of named) assert.ok(isThere(name), name);
});
