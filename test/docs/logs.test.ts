import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { createAuditEvent, eventTypes } from "../../src/audit/events.ts";
import { startGate } from "../support/gate.ts";
import { rowsOf, text } from "./pages.ts";

test("logs.md lists exactly the types of audit log entries, with their summaries", () => {
  const rows = rowsOf(text("docs/logs.md"), /^`[a-z_]+`$/);
  const shown = rows.map(([type = "", summary = ""]) => [
    type.replaceAll("`", ""),
    /^`([^`]+)`/.exec(summary)?.[1],
  ]);
  const client = { remoteAddress: "ADDRESS" };
  const written = eventTypes.map((type, at) => {
    // The page has a word in capital letters for what an entry is about.
    const [name = ""] = /\b[A-Z]{3,}( × [A-Z]+)?\b/.exec(shown[at]?.[1] ?? "") ?? [];
    return [type, createAuditEvent(type, { name, client }).summary];
  });
  assert.deepEqual(shown, written);
});

test("a gate writes no files except its database", async (t) => {
  const gate = await startGate(t, { logLevel: "debug" });
  await gate.setUp();
  await gate.signIn({ password: "wrong" });
  await gate.stop();
  assert.deepEqual(readdirSync(gate.dataDir), ["latchkey.db"]);
});

test("the notification unit has the user, the folder and the restarts of latchkey.service", () => {
  const [, unit = ""] = /```ini\n(\[Unit\][^`]+)```/.exec(text("docs/logs.md")) ?? [];
  const lines = unit.split("\n");
  const service = text("docs/deploy/latchkey.service").split("\n");
  const shared =
    /^(DynamicUser|StateDirectory|StateDirectoryMode|UMask|EnvironmentFile|Environment|Restart|RestartSec|RestartPreventExitStatus)=/;
  assert.deepEqual(
    lines.filter((line) => shared.test(line)).sort(),
    service.filter((line) => shared.test(line)).sort(),
  );
  // The user of latchkey.service has the name of its unit.
  assert.ok(lines.includes("User=latchkey"));
  assert.match(unit, /bash -o pipefail/);
});
