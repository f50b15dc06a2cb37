import { spawn } from "node:child_process";
import { once } from "node:events";
import { Fault } from "../lib/fault.ts";
import type { Settings } from "./settings/settings.ts";

/**
 * Runs a program with the domain as its only argument, without a shell. The program continues after
 * the server stops, because a half-finished domain setup is worse. It shares stderr with the gate.
 */
async function runCommand(
  program: string,
  domain: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  if (domain.startsWith("-")) {
    throw new Fault(
      "domain_refused",
      "a domain cannot start with -, because programs would read it as an option",
    );
  }
  const child = spawn(program, [domain], {
    stdio: ["ignore", "ignore", "inherit"],
    detached: true,
    env,
  });
  child.unref();
  const [code, signal] = await once(child, "exit");
  if (code === 0) return;
  throw new Fault(
    "domain_setup_failed",
    `the domain setup command ended with ${code ?? signal}; its messages are on standard error`,
  );
}

/**
 * Returns a setup that runs the operator's command, requests a certificate, or does both. Returns
 * `undefined` if neither is configured.
 */
export function createDomainSetup(
  { domainSetupCommand: program, programEnvironment: env }: Settings,
  requestCertificate: ((domain: string) => Promise<void>) | undefined,
): ((domain: string) => Promise<void>) | undefined {
  if (program === undefined) return requestCertificate;
  return async (domain) => {
    await Promise.all([runCommand(program, domain, env), requestCertificate?.(domain)]);
  };
}
