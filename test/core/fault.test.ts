import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { clientGone, codeOf, Fault, messageOf, Unavailable } from "../../src/core/fault.ts";

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

test("carries a code, a message and a cause", () => {
  const cause = new Error("beneath");
  const fault = new Unavailable("store_busy", "locked", 2, { cause });
  assert.ok(fault instanceof Fault && fault instanceof Error);
  assert.equal(fault.retryAfterSeconds, 2);
  assert.deepEqual([fault.code, fault.message, fault.cause], ["store_busy", "locked", cause]);
  assert.equal(String(fault), "Unavailable: locked");
  assert.equal(String(new Fault("a_code", "a message")), "Fault: a message");
});

test("finds the code of errors of Node, SQLite and Latchkey", () => {
  const missing = thrownBy(() => readFileSync("/there/is/no/such/file"));
  const database = new DatabaseSync(":memory:");
  const syntax = thrownBy(() => database.exec("SELEKT"));
  database.close();
  assert.equal(codeOf(missing), "ENOENT");
  assert.equal(codeOf(syntax), "ERR_SQLITE_ERROR");
  assert.equal(codeOf(new Fault("a_code", "a message")), "a_code");
  assert.equal(codeOf(clientGone()), "client_gone");
  assert.match(clientGone().message, /disconnected/);
});

test("returns no code for other thrown values", () => {
  const numbered = Object.assign(new Error("numbered"), { code: 42 });
  for (const thrown of [new Error("plain"), numbered, { code: "X" }, "text", null, undefined]) {
    assert.equal(codeOf(thrown), undefined);
  }
});

test("returns a message for any thrown value", () => {
  assert.equal(messageOf(new Error("of an error")), "of an error");
  assert.equal(messageOf("thrown text"), "thrown text");
  assert.equal(messageOf(undefined), "undefined");
});
