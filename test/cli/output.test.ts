import assert from "node:assert/strict";
import { test } from "node:test";
import { sqlitePlace } from "./user/place.ts";
import { onTerminal } from "./user/terminal.ts";

test("reports output that cannot be written, with the reason", async (t) => {
  const line = "latchkey help >/dev/full";
  const { code, shown } = await onTerminal(t, line, {});
  assert.deepEqual(
    [code, shown],
    [1, "latchkey: cannot write the output: no space left on device\n"],
  );
});

test("succeeds silently when the reader of its output closes the pipe early", async (t) => {
  const line = "{ latchkey completion bash; echo $? >&2; } | true";
  const { shown } = await onTerminal(t, line, {});
  assert.equal(shown, "0\n");
});

test("takes a password from a pipe", async (t) => {
  const { env } = await sqlitePlace(t, "owner");
  const line = "echo correct horse | latchkey user add guest --password-stdin | cat";
  const { shown } = await onTerminal(t, line, env);
  assert.equal(shown, 'Created user "guest".\n');
});
