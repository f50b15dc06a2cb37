import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { checkLeftovers } from "../../../src/doctor/database.ts";
import { applyRemedies, assertFound, findings } from "../../doctor/installation.ts";
import { MAIN, startNode } from "../../support/process.ts";
import { abandoned, backedUp, contentOf } from "./backup-place.ts";

/** Kills the process before the given call that gives a file a name, or lets hard links fail. */
const preload = (calls: number, links: "links" | "no links"): string => `data:text/javascript,
  import fs from "node:fs";
  import { syncBuiltinESMExports } from "node:module";
  let left = ${calls};
  for (const name of ["linkSync", "copyFileSync", "renameSync"]) {
    const call = fs[name];
    fs[name] = (...args) => {
      if (left-- === 0) process.kill(process.pid, "SIGKILL");
      if (name === "linkSync" && ${links === "no links"}) throw new Error("no links");
      return call(...args);
    };
  }
  syncBuiltinESMExports();`;

for (const links of ["links", "no links"] as const) {
  test(`a restore killed at any step leaves one whole database (${links})`, async (t) => {
    const { backup } = await backedUp(t);
    const states: string[] = [];
    for (let calls = 0; states.at(-1) !== "done"; calls += 1) {
      const { env, folder, database } = await abandoned(t, "another", "later");
      const args = ["--import", preload(calls, links), "--", MAIN, "restore", "--force", backup];
      const { signal, code, stderr } = await startNode(t, args, env).ended;
      const leftovers = () => findings(checkLeftovers, { env });
      if (signal !== null) await applyRemedies(await leftovers());
      if (signal !== null) assertFound(await leftovers());
      const { usernames } = await contentOf(database);
      const left = (await readdir(folder)).filter((name) => !/^latchkey\.db(-\w+)?$/.test(name));
      if (signal !== null) assert.deepEqual(left, []);
      assert.ok(signal === "SIGKILL" || code === 0, stderr);
      states.push(signal === null ? "done" : usernames.join());
      if (signal === null) assert.deepEqual(usernames, ["owner"]);
    }
    assert.ok(states.length > 2, "it was killed at several steps");
    assert.deepEqual(new Set(states), new Set(["another,later", "done"]));
  });
}
