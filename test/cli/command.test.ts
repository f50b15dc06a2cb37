import assert from "node:assert/strict";
import { test } from "node:test";
import { type Process, Terminal } from "../../src/cli/command.ts";

/** Everything that a terminal has written, in order. */
function drawing(stderr: { readonly isTTY?: boolean; readonly columns?: number }) {
  const written: string[] = [];
  const write = (text: string): unknown => written.push(text);
  const terminal = new Terminal({
    stdout: { write },
    stderr: { ...stderr, write },
  } as never as Process);
  return { terminal, written };
}

test("redraws progress ten times a second at most, and clears it at the end", () => {
  const { terminal, written } = drawing({ isTTY: true, columns: 20 });
  for (let page = 1; page <= 1_000; page += 1)
    terminal.showProgress(`copying: ${page} of 1000 pages`);
  const [first, ...others] = written.splice(0);
  assert.equal(first, "\rcopying: 1 of 1000 \u001b[K");
  assert.ok(others.length < 5, `${others.length}`);
  terminal.print("done");
  assert.deepEqual(written, ["\r\u001b[K", "done\n"]);
});

test("shows no progress where there is no terminal", () => {
  const { terminal, written } = drawing({});
  terminal.showProgress("copying: 1 of 2 pages");
  terminal.complain("failed");
  assert.deepEqual(written, ["latchkey: failed\n"]);
});
