import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../test/support/free-port.ts";
import { spreadOf, table } from "./figures.ts";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

/** The time from the command to the first response, with an empty and a used data folder. */
export async function benchStart(folder: string, rounds: number): Promise<string> {
  const fresh: number[] = [];
  const again: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const dataDir = await mkdtemp(join(folder, "start-"));
    const [first, second] = [await timeOfStart(dataDir), await timeOfStart(dataDir)];
    if (round === 0) continue;
    fresh.push(first);
    again.push(second);
  }
  const row = (name: string, values: readonly number[]): string[] => {
    const { median, low, high } = spreadOf(values);
    return [name, median.toFixed(0), `${low.toFixed(0)} to ${high.toFixed(0)}`];
  };
  return table([
    ["start to first response", "ms", "middle half"],
    row("empty data folder", fresh),
    row("used data folder", again),
  ]);
}

async function timeOfStart(dataDir: string): Promise<number> {
  const port = await freePort();
  const start = performance.now();
  const child = spawn(process.execPath, [MAIN, "serve"], {
    env: { ...process.env, PORT: String(port), DATA_DIR: dataDir },
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  await firstResponse(port, start + 10_000);
  const took = performance.now() - start;
  child.kill();
  await ended;
  return took;
}

async function firstResponse(port: number, giveUpAt: number): Promise<void> {
  while (performance.now() < giveUpAt) {
    try {
      await (await fetch(`http://127.0.0.1:${port}/login`)).text();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
  throw new Error("no response within 10 s");
}
