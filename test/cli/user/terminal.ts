import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { TestContext } from "node:test";
import { INHERITED, MAIN } from "../../support/process.ts";

const LATCHKEY = `latchkey() { '${process.execPath}' '${MAIN}' "$@"; }`;

export const ENTER = "\r";
export const CTRL_C = "\u0003";
export const CTRL_D = "\u0004";

/** A text to wait for, and what to type then. */
export type Typing = readonly (readonly [question: string, answer: string])[];

type Env = Readonly<NodeJS.ProcessEnv>;

/**
 * Runs a shell line on a real terminal, with `script`, which every Debian has. Returns the exit
 * code and everything that the terminal shows, including the echo of what was typed.
 */
export async function onTerminal(
  t: TestContext,
  line: string,
  env: Env,
  typing: Typing = [],
): Promise<{ readonly code: number | null; readonly shown: string }> {
  const child = spawn("script", ["-qec", `${LATCHKEY}; ${line}`, "/dev/null"], {
    env: { ...INHERITED, TERM: "xterm", SHELL: "/bin/sh", ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  t.after(async () => {
    child.kill("SIGKILL");
    await closed;
  });
  let sent = "";
  let seen = 0;
  const left = [...typing];
  child.stdout.setEncoding("utf8").on("data", (data: string) => {
    sent += data;
    for (;;) {
      const [question, answer] = left[0] ?? [];
      if (question === undefined || answer === undefined) return;
      const at = sent.indexOf(question, seen);
      if (at < 0) return;
      seen = at + question.length;
      left.shift();
      child.stdin.write(answer);
    }
  });
  const [code] = await closed;
  assert.deepEqual(left, [], `not asked in: ${sent}`);
  return { code, shown: asRead(sent) };
}

/** Without the sequences that move the cursor within its line. */
function asRead(sent: string): string {
  return sent.replaceAll(CURSOR, "").replaceAll("\r", "");
}

const CURSOR = new RegExp(`${"\u001b"}\\[\\d*[A-K]`, "g");
