import { certificateFolder } from "../server/https/certificate-folder.ts";
import { type DomainState, domainStates } from "../server/https/domain-state.ts";
import { printable, printableJson } from "../server/printable.ts";
import { type Command, SUCCESS } from "./command.ts";

export const domainStatusCommand: Command = {
  name: "domain status",
  summary: "Shows each name with its certificate, the last attempt to get one, and why it failed.",
  options: [{ name: "json", about: "one JSON object a line" }],
  settings: ["DATA_DIR"],

  async run({ dataDir }, options, terminal) {
    const states = await domainStates(certificateFolder(dataDir));
    if (states.length === 0) {
      terminal.complain("no name has been asked for: latchkey domain add NAME does");
    }
    const format =
      options.json === true ? asJson : (state: DomainState) => forPeople(state, Date.now());
    await terminal.printAll(states.map(format));
    return SUCCESS;
  },
};

function asJson({ name, certificate, lastAttempt, nextAttemptAt }: DomainState): string {
  return printableJson({
    name,
    notAfter: certificate?.notAfter ?? null,
    renewalAt: certificate?.renewalAt ?? null,
    lastAttempt:
      lastAttempt === undefined
        ? null
        : {
            at: lastAttempt.at,
            outcome: lastAttempt.cause === undefined ? "succeeded" : "failed",
            cause: lastAttempt.cause ?? null,
          },
    nextAttemptAt,
  });
}

function forPeople(state: DomainState, now: number): string {
  const { name, certificate, lastAttempt, nextAttemptAt } = state;
  const rows = [
    `  certificate   ${certificate === undefined ? "none" : validity(certificate, now)}`,
    `  last attempt  ${lastAttempt === undefined ? "none" : ending(lastAttempt)}`,
    `  next attempt  ${nextAttemptAt.getTime() <= now ? "now, if the gate runs with HTTPS_PORT" : text(nextAttemptAt)}`,
  ];
  return [name, ...rows].map((line) => printable(line)).join("\n");
}

function validity({ notAfter }: { readonly notAfter: Date }, now: number): string {
  return `${notAfter.getTime() <= now ? "expired" : "valid until"} ${text(notAfter)}`;
}

const ending = ({
  at,
  cause,
}: {
  readonly at: Date;
  readonly cause: string | undefined;
}): string => (cause === undefined ? `${text(at)}, succeeded` : `${text(at)}, failed: ${cause}`);

const text = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`;
