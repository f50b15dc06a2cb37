import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { closeSync, fstatSync, openSync, readSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Fault } from "../core/base/fault.ts";
import type { Settings } from "./settings/settings.ts";

/** The end of the output usually states why the command failed. */
const MAX_OUTPUT = 2_000;

/**
 * Runs a program with the domain as its only argument, without a shell. It continues after the
 * server stops, because a half-finished domain setup is worse.
 */
function domainCommand(
  program: string,
  env: Readonly<Record<string, string | undefined>>,
): (domain: string) => Promise<void> {
  return async (domain) => {
    if (domain.startsWith("-")) {
      throw new Fault(
        "domain_refused",
        "a domain cannot start with -, because programs would read it as an option",
      );
    }
    const output = unnamedFile();
    try {
      const child = spawn(program, [domain], {
        stdio: ["ignore", "ignore", output],
        detached: true,
        env,
      });
      child.unref();
      const [code, signal] = await once(child, "exit");
      if (code === 0) return;
      const reason = endOf(output);
      throw new Fault(
        "domain_setup_failed",
        `the domain setup command ended with ${code ?? signal}${reason && `: ${reason}`}`,
      );
    } finally {
      closeSync(output);
    }
  };
}

/** Not a pipe: it would break when the server stops first, and end the program with it. */
function unnamedFile(): number {
  const path = join(tmpdir(), `latchkey-domain-${randomUUID()}`);
  const descriptor = openSync(path, "wx+", 0o600);
  unlinkSync(path);
  return descriptor;
}

function endOf(file: number): string {
  const { size } = fstatSync(file);
  const start = Math.max(0, size - MAX_OUTPUT);
  const end = Buffer.alloc(size - start);
  readSync(file, end, 0, end.length, start);
  return end.toString("utf8").trim();
}

/** Runs the operator's command, requests a certificate, or both. `undefined` for neither. */
export function domainSetup(
  { domainSetupCommand: program, programEnvironment }: Settings,
  requestCertificate: ((domain: string) => Promise<void>) | undefined,
): ((domain: string) => Promise<void>) | undefined {
  const command = program === undefined ? undefined : domainCommand(program, programEnvironment);
  const steps = [command, requestCertificate].filter((step) => step !== undefined);
  if (steps.length === 0) return undefined;
  return async (domain) => {
    await Promise.all(steps.map((step) => step(domain)));
  };
}
