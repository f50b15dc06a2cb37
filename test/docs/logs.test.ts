import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { eventTypes } from "../../src/core/log/events.ts";
import { startGate } from "../support/gate.ts";
import { rowsOf, text } from "./pages.ts";

test("logs.md lists exactly the types of audit log entries", () => {
  const rows = rowsOf(text("docs/logs.md"), /^`[a-z_]+`$/);
  const types = rows.map(([type = ""]) => type.replaceAll("`", ""));
  assert.deepEqual(types, eventTypes);
});

test("a gate writes no files except its database", async (t) => {
  const gate = await startGate(t, { logLevel: "debug" });
  await gate.setUp();
  await gate.signIn({ password: "wrong" });
  await gate.stop();
  assert.deepEqual(readdirSync(gate.dataDir), ["latchkey.db"]);
});
