import assert from "node:assert/strict";
import { test } from "node:test";
import { onTerminal } from "./user/terminal.ts";

test("what cannot be written is told, with the reason", async (t) => {
  const line = "latchkey help >/dev/full";
  const { code, shown } = await onTerminal(t, line, {});
  assert.deepEqual([code, shown], [1, "latchkey: cannot write: no space left on device\n"]);
});

test("a reader that has seen enough is no failure, and nothing is said of it", async (t) => {
  const line = "{ latchkey completion bash; echo $? >&2; } | true";
  const { shown } = await onTerminal(t, line, {});
  assert.equal(shown, "0\n");
});
