import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { Attack, Need } from "../src/attack.ts";
import { attacks } from "../src/attacks.ts";
import { findTarget, type TargetOptions } from "../src/find.ts";
import { type Result, runAttacks } from "../src/run.ts";
import { type SampleServerOptions, startSampleServer } from "./sample-server.ts";

export const ALL_NEEDS: ReadonlySet<Need> = new Set([
  "account",
  "clients",
  "disturb",
  "echo",
  "fresh",
  "server-access",
]);

/** @throws if no attack has the name */
export function attackNamed(name: string): Attack {
  const attack = attacks.find((one) => one.name === name);
  if (attack === undefined) throw new Error(`no attack is named ${name}`);
  return attack;
}

const WITHOUT_ACCOUNT = ["dns-rebinding", "setup-token", "markup-in-setup", "setup-race"];

/** The attack, preceded by setup-race where the attack needs an account. */
const withSetup = (attack: Attack): readonly Attack[] =>
  WITHOUT_ACCOUNT.includes(attack.name) ? [attack] : [attackNamed("setup-race"), attack];

/** Runs one attack, with everything granted, on a server without an account. */
export async function attackFresh(
  server: Pick<TargetOptions, "url" | "access" | "echo">,
  attack: Attack,
): Promise<Result> {
  const target = await findTarget({
    guarded: [],
    fresh: true,
    ...server,
  });
  const results = await runAttacks(target, {
    attacks: withSetup(attack),
    granted: ALL_NEEDS,
    withinMs: 120_000,
  });
  const result = results.at(-1);
  if (result === undefined) throw new Error("no attack ran");
  return result;
}

export async function attackSampleServer(
  t: TestContext,
  attack: Attack,
  options: SampleServerOptions = {},
): Promise<Result> {
  return attackFresh({ ...(await startSampleServer(t, options)), echo: "/echo" }, attack);
}

export const MAIN: string = fileURLToPath(new URL("../src/main.ts", import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `latchkey-attack` as a process, with empty standard input. */
export const runCommand = (t: TestContext, ...args: readonly string[]): Promise<Ended> =>
  runWithInput(t, "", ...args);

export async function runWithInput(
  t: TestContext,
  input: string,
  ...args: readonly string[]
): Promise<Ended> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, ["--", MAIN, ...args], {
    env: { PATH, NODE_COMPILE_CACHE },
    stdio: "pipe",
  });
  const closed = once(child, "close");
  t.after(async () => {
    child.kill("SIGKILL");
    await closed;
  });
  // A command that fails early does not read its input.
  child.stdin.on("error", () => undefined).end(input);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    closed,
  ]);
  return { code, stdout, stderr };
}
