import assert from "node:assert/strict";
import { test } from "node:test";
import { failureOf } from "../support/command.ts";
import { execute } from "../support/database.ts";
import { filled } from "./transfer/backup-place.ts";

test("exits like with wrong settings if a restart cannot make the database usable", async (t) => {
  const { env, database } = await filled(t, ["owner"], 0);
  execute(database, "PRAGMA user_version = 999");
  const refusal = await failureOf(["serve"], { env: { ...env, PORT: "0" } }, 2);
  assert.match(refusal, /has schema 999.*made it, export its users with that version/);
});
