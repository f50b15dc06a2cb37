import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Fault } from "../core/fault.ts";

/** What the command says at its end is what tells why it failed. */
const KEPT_OUTPUT = 2_000;

/**
 * Runs a program with the domain as its one argument, without a shell. It is not stopped with the
 * server: what it does (getting a certificate, say) is better finished.
 */
export function domainCommand(
  program: string,
  env: Readonly<Record<string, string | undefined>>,
): (domain: string) => Promise<void> {
  return async (domain) => {
    if (domain.startsWith("-")) {
      throw new Fault("domain_refused", "a domain that starts with - would be taken for an option");
    }
    const words = unnamedFile();
    try {
      const ending = await run(program, domain, env, words);
      if (ending !== 0) throw new Fault("domain_setup_failed", failureText(ending, endOf(words)));
    } finally {
      closeSync(words);
    }
  };
}

function run(
  program: string,
  domain: string,
  env: Readonly<Record<string, string | undefined>>,
  words: number,
): Promise<number | string | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [domain], {
      stdio: ["ignore", "ignore", words],
      detached: true,
      env,
    });
    child.unref();
    child.on("error", reject);
    child.on("exit", (code, signal) => resolve(code ?? signal));
  });
}

function failureText(ending: number | string | null, said: string): string {
  return `the domain setup command ended with ${ending}${said === "" ? "" : `: ${said.trim()}`}`;
}

/** A file, not a pipe: a pipe would break when the server ends first, and take the program along. */
function unnamedFile(): number {
  const path = join(tmpdir(), `latchkey-domain-${randomUUID()}`);
  const descriptor = openSync(path, "wx+", 0o600);
  unlinkSync(path);
  return descriptor;
}

function endOf(file: number): string {
  const { size } = fstatSync(file);
  const start = Math.max(0, size - KEPT_OUTPUT);
  const kept = Buffer.alloc(size - start);
  readSync(file, kept, 0, kept.length, start);
  return kept.toString("utf8");
}
