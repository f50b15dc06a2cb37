import { stat } from "node:fs/promises";
import { CertificateFolder, type DomainState } from "../gate/https/certificate-folder.ts";
import { parseCertifiableName } from "../gate/https/host-name.ts";
import { getRenewalTime } from "../gate/https/renewal.ts";
import { toPrintable, toPrintableJson } from "../lib/files/printable.ts";
import { type Command, type Operand, SUCCESS } from "./command.ts";
import { formatMinute, JSON_LINES } from "./listing.ts";

const NAME: Operand = { name: "name", need: "required" };

export const add: Command = {
  details:
    "The gate does this while it runs with HTTPS_PORT. If an attempt for this domain has failed, it tries again at once.",
  operands: [NAME],
  settings: ["DATA_DIR", "HTTPS_PORT"],
  examples: ["latchkey domain add auth.example.org"],

  async run({ dataDir, httpsPort, tlsCertFile }, options, terminal) {
    const name = parseCertifiableName(String(options.name));
    // If DATA_DIR is mistyped, no gate would ever see the domain.
    const folder = await stat(dataDir).catch(() => undefined);
    if (folder?.isDirectory() !== true) {
      return terminal.fail(
        `there is no data folder ${dataDir}: start the gate first, or set DATA_DIR to its folder`,
      );
    }
    await new CertificateFolder(dataDir).request(name);
    if (tlsCertFile !== undefined) {
      terminal.complain("unset TLS_CERT_FILE as well: with it, the gate requests no certificates");
    } else if (httpsPort === undefined) {
      terminal.complain("set HTTPS_PORT as well: without it, the gate requests no certificates");
    }
    return terminal.succeed(`Added domain ${name}. To see its progress: latchkey domain status`);
  },
};

export const remove: Command = {
  details: "The gate requests no further certificate for it.",
  operands: [NAME],
  settings: ["DATA_DIR"],
  examples: ["latchkey domain remove auth.example.org"],

  async run({ dataDir }, options, terminal) {
    const name = parseCertifiableName(String(options.name));
    return (await new CertificateFolder(dataDir).remove(name))
      ? terminal.succeed(`Removed domain ${name} and its certificate.`)
      : terminal.fail(`there is no domain ${name}: see latchkey domain status`);
  },
};

export const status: Command = {
  details: "Also shows the last attempt to get each certificate, and why it failed.",
  options: [JSON_LINES],
  settings: ["DATA_DIR"],
  examples: ["latchkey domain status", "latchkey domain status --json"],

  async run({ dataDir }, options, terminal) {
    const states = await new CertificateFolder(dataDir).listDomainStates();
    if (states.length === 0) {
      terminal.complain("there is no domain yet: add one with latchkey domain add NAME");
    }
    const now = Date.now();
    const shownStates = states.map((state) => toShownState(state, now));
    await terminal.printAll(
      shownStates.map((state) =>
        options.json === true ? toPrintableJson(state) : formatState(state, now),
      ),
    );
    return SUCCESS;
  },
};

type ShownState = ReturnType<typeof toShownState>;

function toShownState(state: DomainState, now: number) {
  const { name, certificate, lastAttempt, nextAttemptAt } = state;
  const outcome = lastAttempt?.cause === undefined ? "succeeded" : "failed";
  return {
    name,
    notAfter: certificate?.notAfter ?? null,
    renewalAt: certificate === undefined ? null : new Date(getRenewalTime(certificate)),
    lastAttempt:
      lastAttempt === undefined
        ? null
        : { at: new Date(lastAttempt.lastAt), outcome, cause: lastAttempt.cause ?? null },
    // The time of an attempt that is already due is omitted, because the gate makes it when it
    // runs.
    nextAttemptAt: nextAttemptAt <= now ? null : new Date(nextAttemptAt),
  };
}

function formatState(state: ShownState, now: number): string {
  const { name, notAfter, lastAttempt, nextAttemptAt } = state;
  const validity = notAfter && `${notAfter.getTime() <= now ? "expired" : "valid until"}`;
  const cause = lastAttempt?.outcome === "failed" ? `: ${lastAttempt.cause}` : "";
  const rows = [
    `  certificate   ${notAfter === null ? "none" : `${validity} ${formatMinute(notAfter)}`}`,
    `  last attempt  ${lastAttempt === null ? "none" : `${formatMinute(lastAttempt.at)}, ${lastAttempt.outcome}${cause}`}`,
    `  next attempt  ${nextAttemptAt === null ? "now, if the gate runs with HTTPS_PORT" : formatMinute(nextAttemptAt)}`,
  ];
  return [name, ...rows].map((line) => toPrintable(line)).join("\n");
}
