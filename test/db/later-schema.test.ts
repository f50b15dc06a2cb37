import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { SHARED_POSTGRES } from "../support/postgres-shared.ts";
import { startNode } from "../support/process.ts";

/** In a process of its own, since it changes the description of the tables. */
test("a later column and table need only their description, in both databases", async (t) => {
  const script = join(import.meta.dirname, "later-schema.ts");
  const { [SHARED_POSTGRES]: server } = process.env;
  const env = server === undefined ? {} : { [SHARED_POSTGRES]: server };
  const { code, stdout } = await startNode(t, ["--test-reporter=tap", script], env).ended;
  assert.equal(code, 0, stdout);
  assert.match(stdout, /^# pass 7$/m);
});
