import { spawn } from "node:child_process";
import { Socket } from "node:net";
import { Fault } from "../core/fault.ts";

/** What the command says at its end is what tells why it failed. */
const KEPT_OUTPUT = 2_000;

/**
 * Runs a program with the domain as its one argument, without a shell. It is not stopped with the
 * server: what it does (getting a certificate, say) is better finished.
 */
export function domainCommand(program: string): (domain: string) => Promise<void> {
  return (domain) =>
    new Promise((resolve, reject) => {
      if (domain.startsWith("-")) {
        throw new Fault(
          "domain_refused",
          "a domain that starts with - would be taken for an option",
        );
      }
      const child = spawn(program, [domain], {
        stdio: ["ignore", "ignore", "pipe"],
        detached: true,
      });
      // Neither it nor its pipe keeps the process from ending.
      child.unref();
      if (child.stderr instanceof Socket) child.stderr.unref();
      let said = "";
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        said = (said + text).slice(-KEPT_OUTPUT);
      });
      child.on("error", reject);
      child.on("close", (code, signal) => {
        if (code === 0) resolve();
        else reject(new Fault("domain_setup_failed", failureText(code ?? signal, said)));
      });
    });
}

function failureText(ending: number | string | null, said: string): string {
  return `the domain setup command ended with ${ending}${said === "" ? "" : `: ${said.trim()}`}`;
}
