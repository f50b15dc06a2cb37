import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { eventTypes } from "../../src/core/events.ts";
import { startGate } from "../support/gate.ts";

const at = (path: string): URL => new URL(`../../${path}`, import.meta.url);
const text = (path: string): string => readFileSync(at(path), "utf8");

const logs = text("docs/logs.md");

/** The cells of each row whose first one looks like this. */
const rowsOf = (first: RegExp): readonly (readonly string[])[] =>
  logs
    .split("\n")
    .map((line) => line.split("|").slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()))
    .filter(([cell = ""]) => first.test(cell));

test("the inventory of logs has every type of entry, and none that there is not", () => {
  const told = rowsOf(/^`[a-z_]+`$/).map(([type = ""]) => type.replaceAll("`", ""));
  assert.deepEqual(told, eventTypes);
});

/** What a constant of this file says, where a call names one instead of a text. */
const constantsIn = (call: string, source: string): readonly string[] =>
  (call.match(/\b[A-Z][A-Z_]{3,}\b/g) ?? []).flatMap((name) => {
    const [, said] = new RegExp(`const ${name} =\\s*("[^"]+")`).exec(source) ?? [];
    return said ?? [];
  });

/** How each text begins that the sources give to the server log. */
function beginnings(source: string): readonly string[] {
  const calls =
    source.match(/\b(?:log\??\.(?:debug|info|warn|error)|noteRefusal)\([\s\S]*?\);/g) ?? [];
  return calls
    .flatMap((call) => [call, ...constantsIn(call, source)])
    .flatMap((said) => [...said.matchAll(/"([^"]+)"|`([^`]+)`/g)])
    .map(([, plain, template = ""]) => plain ?? template)
    .flatMap((words) => words.split(/\$\{[^}]*\}|[:,`]/).find((piece) => piece.trim() !== "") ?? [])
    .map((piece) => piece.trim());
}

const sources = readdirSync(at("src"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => text(`src/${file}`));

test("the inventory has every line that the gate gives to the server log", () => {
  const told = sources.flatMap((source) => beginnings(source));
  assert.ok(told.includes("request failed") && told.length > 25, "lines are found");
  assert.ok(told.includes("a sign-in was rejected"), "lines that a constant holds are found");
  assert.deepEqual(
    told.filter((words) => !logs.includes(words)),
    [],
  );
});

test("the inventory has no line of the server log that no source speaks of", () => {
  const told = rowsOf(/^(debug|info|warn|error)$/).flatMap(([, begins = ""]) =>
    [...begins.matchAll(/`([^`]+)`/g)].map(([, words = ""]) => words.replace("…", "").trim()),
  );
  assert.ok(told.includes("request failed") && told.length > 25, "lines are found");
  assert.deepEqual(
    told.filter((words) => !sources.some((source) => source.includes(words))),
    [],
  );
});

test("what a gate leaves behind is its database: no log but those of the inventory", async (t) => {
  const gate = await startGate(t, { logLevel: "debug", logFailures: true });
  await gate.setUp();
  await gate.signIn({ password: "wrong" });
  await gate.stop();
  assert.deepEqual(readdirSync(gate.dataDir), ["latchkey.db"]);
});
