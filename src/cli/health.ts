import { isIPv6 } from "node:net";
import { ask } from "../doctor/site.ts";
import type { Settings } from "../gate/settings/settings.ts";
import type { Command } from "./command.ts";

const OK = 200;

export const command: Command = {
  details:
    "For the health check of a container: asks the gate of these settings on this machine. With TLS, it does not verify the certificate.",
  settings: ["HOST", "PORT", "HTTPS_PORT", "TLS_CERT_FILE"],
  examples: ["latchkey health --port 8080"],

  async run(settings, _options, terminal) {
    const url = addressOf(settings);
    const answer = await ask(new URL("/healthz", url), {}, () => Date.now());
    if (answer.kind === "none") return terminal.fail(`no answer from ${url}: ${answer.reason}`);
    if (answer.status !== OK) return terminal.fail(`${url}/healthz answers ${answer.status}`);
    return terminal.succeed(`The gate answers at ${url}`);
  },
};

/** The port that serves health checks without a redirect. */
function addressOf({ host, port, httpsPort, tlsCertFile }: Settings): string {
  const scheme = tlsCertFile !== undefined && httpsPort === undefined ? "https" : "http";
  // A gate on all addresses is asked on this one.
  const address = ["0.0.0.0", "::"].includes(host) ? "127.0.0.1" : host;
  return `${scheme}://${isIPv6(address) ? `[${address}]` : address}:${port}`;
}
