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

/** The texts of the constants that a call names instead of a literal. */
const constantsIn = (call: string, source: string): readonly string[] =>
  (call.match(/\b[A-Z][A-Z_]{3,}\b/g) ?? []).flatMap((name) => {
    const [, text] = new RegExp(`const ${name} =\\s*("[^"]+")`).exec(source) ?? [];
    return text ?? [];
  });

/** The beginning of each message that a source file writes to the server log. */
function beginnings(source: string): readonly string[] {
  const calls =
    source.match(/\b(?:log\??\.(?:debug|info|warn|error)|noteRefusal)\([\s\S]*?\);/g) ?? [];
  return calls
    .flatMap((call) => [call, ...constantsIn(call, source)])
    .flatMap((text) => [...text.matchAll(/"([^"]+)"|`([^`]+)`/g)])
    .map(([, plain, template = ""]) => plain ?? template)
    .flatMap((words) => words.split(/\$\{[^}]*\}|[:,`]/).find((piece) => piece.trim() !== "") ?? [])
    .map((piece) => piece.trim());
}

const sources = readdirSync(at("src"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => text(`src/${file}`));

test("logs.md lists every message of the server log", () => {
  const listed = sources.flatMap((source) => beginnings(source));
  assert.ok(listed.includes("request failed") && listed.length > 25, "finds messages");
  assert.ok(listed.includes("a password was rejected"), "finds messages in constants");
  assert.deepEqual(
    listed.filter((words) => !logs.includes(words)),
    [],
  );
});

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
