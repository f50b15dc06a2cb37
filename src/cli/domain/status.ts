import { printable, printableJson } from "../../files/printable.ts";
import { certificateFolder } from "../../gate/https/certificate-folder.ts";
import { type DomainState, domainStates } from "../../gate/https/domain-state.ts";
import { renewalAt } from "../../gate/https/renewal.ts";
import type { Command } from "../command.ts";
import { SUCCESS } from "../terminal.ts";

export const command: Command = {
  details: "Also shows the last attempt to get each certificate, and why it failed.",
  options: [{ name: "json", about: "print one JSON object per line" }],
  settings: ["DATA_DIR"],
  examples: ["latchkey domain status", "latchkey domain status --json"],

  async run({ dataDir }, options, terminal) {
    const states = await domainStates(certificateFolder(dataDir));
    if (states.length === 0) {
      terminal.complain("there is no domain yet: add one with latchkey domain add NAME");
    }
    const format = options.json === true ? asJson : forPeople;
    const now = Date.now();
    await terminal.printAll(states.map((state) => format(state, now)));
    return SUCCESS;
  },
};

function asJson(
  { name, certificate, lastAttempt, unknown, nextAttemptAt }: DomainState,
  now: number,
): string {
  const attempt = lastAttempt && {
    at: new Date(lastAttempt.lastAt),
    outcome: lastAttempt.cause === undefined ? "succeeded" : "failed",
    cause: lastAttempt.cause ?? null,
  };
  return printableJson({
    name,
    notAfter: certificate?.notAfter ?? null,
    renewalAt: certificate === undefined ? null : new Date(renewalAt(certificate)),
    lastAttempt: attempt ?? null,
    // Absent for almost all domains.
    problem: unknown,
    // The time of an attempt that is already due says nothing: the gate makes it when it runs.
    nextAttemptAt: nextAttemptAt <= now ? null : new Date(nextAttemptAt),
  });
}

function forPeople(state: DomainState, now: number): string {
  const { name, certificate, lastAttempt: last, unknown, nextAttemptAt } = state;
  const ends = certificate?.notAfter.getTime();
  const validity = ends && `${ends <= now ? "expired" : "valid until"} ${text(ends)}`;
  const ending = last?.cause === undefined ? "succeeded" : `failed: ${last.cause}`;
  const without = unknown === undefined ? "none" : `unknown: ${unknown}`;
  const rows = [
    `  certificate   ${validity ?? "none"}`,
    `  last attempt  ${last === undefined ? without : `${text(last.lastAt)}, ${ending}`}`,
    `  next attempt  ${nextAttemptAt <= now ? "now, if the gate runs with HTTPS_PORT" : text(nextAttemptAt)}`,
  ];
  return [name, ...rows].map((line) => printable(line)).join("\n");
}

const text = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;
