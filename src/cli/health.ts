import { ask } from "../doctor/site.ts";
import { ADDRESS_REMEDY, localUrl } from "../gate/reach.ts";
import type { Command } from "./command.ts";

const OK = 200;

export const command: Command = {
  details:
    "For the health check of a container: asks the gate of these settings on this machine. With TLS, it does not verify the certificate.",
  settings: ["HOST", "PORT", "HTTPS_PORT", "TLS_CERT_FILE"],
  examples: ["latchkey health --port 8080"],

  async run(settings, _options, terminal) {
    const url = localUrl(settings);
    const answer = await ask(new URL("/healthz", url), {}, () => Date.now());
    if (answer.kind === "none") {
      return terminal.fail(`no answer from ${url.origin}: ${answer.reason} (${ADDRESS_REMEDY})`);
    }
    if (answer.status !== OK)
      return terminal.fail(`${url.origin}/healthz answers ${answer.status}`);
    return terminal.succeed(`The gate answers at ${url.origin}`);
  },
};
