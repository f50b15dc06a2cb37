import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { SubjectKind } from "./subject.ts";

const SUBJECT = fileURLToPath(new URL("./subject.ts", import.meta.url));

export interface Subject {
  readonly port: number;
  /** Sessions of different users, none of them cached by the server. */
  readonly tokens: readonly string[];
  /** The CPU time of the server so far, user and system, in µs. */
  cpu(): Promise<number>;
  stop(): Promise<void>;
}

export interface Hashing {
  /** Verifies passwords and returns the CPU time and duration. */
  verify(count: number): Promise<{ readonly cpu: number; readonly took: number }>;
  stop(): Promise<void>;
}

export async function startSubject(
  kind: SubjectKind,
  folder: string,
  sessions: number,
): Promise<Subject> {
  const child = fork(SUBJECT, [kind, folder, String(sessions)]);
  const { port, tokens = [] } = await answerOf<{ port: number; tokens?: string[] }>(child);
  return {
    port,
    tokens,
    async cpu() {
      child.send("cpu");
      return (await answerOf<{ cpu: number }>(child)).cpu;
    },
    stop: () => stop(child),
  };
}

export async function startHashing(): Promise<Hashing> {
  const child = fork(SUBJECT, ["hashing"]);
  await answerOf(child);
  return {
    verify(count) {
      child.send(count);
      return answerOf(child);
    },
    stop: () => stop(child),
  };
}

async function answerOf<T>(child: ChildProcess): Promise<T> {
  const [answer] = await once(child, "message");
  return answer as T;
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill();
  await ended;
}
