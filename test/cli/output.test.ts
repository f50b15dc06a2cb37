import assert from "node:assert/strict";
import { test } from "node:test";
import { onTerminal } from "./user/terminal.ts";

test("reports output that cannot be written, with the reason", async (t) => {
  const line = "latchkey help >/dev/full";
  const { code, shown } = await onTerminal(t, line, {});
  const reason = [1, "latchkey: cannot write the output: no space left on device\n"];
  assert.deepEqual([code, shown], reason);
});

test("succeeds silently when the reader of its output closes the pipe early", async (t) => {
  const line = "{ latchkey completion bash; echo $? >&2; } | true";
  const { shown } = await onTerminal(t, line, {});
  assert.equal(shown, "0\n");
});
