import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { eventTypes } from "../../src/core/log/events.ts";
import { startGate } from "../support/gate.ts";
import { at, rowsOf, text } from "./pages.ts";

const logs = text("docs/logs.md");

test("logs.md lists exactly the types of audit log entries", () => {
  const listed = rowsOf(logs, /^`[a-z_]+`$/).map(([type = ""]) => type.replaceAll("`", ""));
  assert.deepEqual(listed, eventTypes);
});

const sources = readdirSync(at("src"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => text(`src/${file}`));

test("logs.md lists no message that the sources do not contain", () => {
  const listed = rowsOf(logs, /^(debug|info|warn|error)$/).flatMap(([, begins = ""]) =>
    [...begins.matchAll(/`([^`]+)`/g)].map(([, words = ""]) => words.replace("…", "").trim()),
  );
  assert.ok(listed.includes("request failed") && listed.length > 25, "finds messages");
  assert.deepEqual(
    listed.filter((words) => !sources.some((source) => source.includes(words))),
    [],
  );
});

test("a gate writes no files except its database", async (t) => {
  const gate = await startGate(t, { logLevel: "debug" });
  await gate.setUp();
  await gate.signIn({ password: "wrong" });
  await gate.stop();
  assert.deepEqual(readdirSync(gate.dataDir), ["latchkey.db"]);
});
