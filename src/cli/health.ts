import { request } from "../doctor/site.ts";
import { ADDRESS_REMEDY, LOCAL_FIELDS, localUrl } from "../gate/reach.ts";
import { nameOf } from "../gate/settings/table.ts";
import type { Command } from "./command.ts";

export const command: Command = {
  details:
    "For the health check of a container: asks the gate of these settings on this machine. With TLS, it does not verify the certificate.",
  settings: LOCAL_FIELDS.map(nameOf),
  examples: ["latchkey health --port 8080"],

  async run(settings, _options, terminal) {
    const url = localUrl(settings);
    const { status, result } = await request(new URL("/healthz", url));
    if (status === 200) return terminal.succeed(`The gate answers at ${url.origin}`);
    return terminal.fail(
      status === undefined
        ? `no answer from ${url.origin}: ${result} (${ADDRESS_REMEDY})`
        : `${url.origin}/healthz answers ${status}`,
    );
  },
};
