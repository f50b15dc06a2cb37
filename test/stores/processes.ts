import { spawn } from "node:child_process";
import { once } from "node:events";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";

export interface Helper {
  /** The next line that it prints. */
  line(): Promise<string>;
  /** Lets it continue or end. */
  goOn(): void;
}

/** Starts a script of this folder as a process that ends with the test. */
export function startScript(t: TestContext, script: string, ...args: readonly string[]): Helper {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const closed = once(child, "close");
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    child.emit("said");
  });
  t.after(async () => {
    child.kill("SIGKILL");
    await closed;
  });
  return {
    goOn: () => void child.stdin.write("\n"),
    async line() {
      let over = false;
      for (;;) {
        const [line = "", ...rest] = said.split("\n");
        if (rest.length > 0) {
          said = rest.join("\n");
          return line;
        }
        if (over) throw new Error(`${script} ended early: ${said}`);
        const end = closed.then(() => {
          over = true;
        });
        await Promise.race([once(child, "said"), end]);
      }
    },
  };
}
