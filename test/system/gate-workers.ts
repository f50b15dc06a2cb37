import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { type Answer, send } from "../support/client.ts";
import { SECRET } from "../support/gate.ts";
import { INHERITED } from "../support/process.ts";

const WORKER = fileURLToPath(new URL("./gate-worker.ts", import.meta.url));

export type Flags = Readonly<Record<string, string>>;

export interface GateWorkers {
  /** Starts a gate with these settings in every process, and returns their addresses. */
  start(flags: Flags): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** Posts a form, and again after a 503, since the database can be slow on a busy machine. */
export async function postAgain(
  url: string,
  form: Readonly<Record<string, string>>,
): Promise<Answer> {
  const first = await send(url, { form });
  return first.status === 503 ? send(url, { form }) : first;
}

/** Starts this number of gates, each in a process that ends with the test. */
export function gateWorkers(t: TestContext, count: number): GateWorkers {
  const workers = Array.from({ length: count }, () => startWorker(t));
  const sendAll = (what: Flags | "stop") => Promise.all(workers.map((send) => send(what)));
  return {
    start: (flags) => sendAll(flags),
    stop: () => sendAll("stop").then(() => {}),
  };
}

function startWorker(t: TestContext): (what: Flags | "stop") => Promise<string> {
  const worker = fork(WORKER, [], { env: { ...INHERITED, AUTH_SECRET: SECRET } });
  const closed = once(worker, "close");
  t.after(async () => {
    worker.kill("SIGKILL");
    await closed;
  });
  return async (what) => {
    worker.send(what);
    const [answer] = await Promise.race([once(worker, "message"), closed]);
    assert.equal(typeof answer, "string", "the worker has ended");
    return answer;
  };
}
