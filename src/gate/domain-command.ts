import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AnyFault } from "../core/base/fault.ts";
import type { Settings } from "./settings/settings.ts";

/** The end of the output usually states why the command failed. */
const MAX_OUTPUT = 2_000;

/**
 * Runs a program with the domain as its only argument, without a shell. It continues after the
 * server stops, because a half-finished domain setup is worse.
 */
async function runCommand(
  program: string,
  domain: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  if (domain.startsWith("-")) {
    throw new AnyFault(
      "domain_refused",
      "a domain cannot start with -, because programs would read it as an option",
    );
  }
  await using output = await unnamedFile();
  const stdio = ["ignore", "ignore", output.fd] as const;
  const child = spawn(program, [domain], { stdio: [...stdio], detached: true, env });
  child.unref();
  const [code, signal] = await once(child, "exit");
  if (code === 0) return;
  const { size } = await output.stat();
  const position = Math.max(0, size - MAX_OUTPUT);
  const { buffer, bytesRead } = await output.read(Buffer.alloc(MAX_OUTPUT), { position });
  const reason = buffer.toString("utf8", 0, bytesRead).trim();
  throw new AnyFault(
    "domain_setup_failed",
    `the domain setup command ended with ${code ?? signal}${reason && `: ${reason}`}`,
  );
}

/** Not a pipe: it would break when the server stops first, and end the program with it. */
async function unnamedFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `latchkey-domain-${randomUUID()}`);
  const file = await open(path, "wx+", 0o600);
  await unlink(path);
  return file;
}

/** Runs the operator's command, requests a certificate, or both. `undefined` for neither. */
export function domainSetup(
  { domainSetupCommand: program, programEnvironment: env }: Settings,
  requestCertificate: ((domain: string) => Promise<void>) | undefined,
): ((domain: string) => Promise<void>) | undefined {
  if (program === undefined) return requestCertificate;
  return async (domain) => {
    await Promise.all([runCommand(program, domain, env), requestCertificate?.(domain)]);
  };
}
