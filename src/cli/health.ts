import { request } from "../doctor/visit-site.ts";
import { ADDRESS_REMEDY, getLocalUrl, LOCAL_FIELDS } from "../gate/reach.ts";
import { getSettingName } from "../gate/settings/table.ts";
import type { Command } from "./command.ts";

export const command: Command = {
  details:
    "For the health check of a container: asks the gate of these settings on this machine. With TLS, it does not verify the certificate.",
  settings: LOCAL_FIELDS.map(getSettingName),
  examples: ["latchkey health --port 8080"],

  async run(settings, _options, terminal) {
    const url = getLocalUrl(settings);
    const { status, result } = await request(new URL("/healthz", url));
    if (status === 200) return terminal.succeed(`The gate answers at ${url.origin}`);
    return terminal.fail(
      status === undefined
        ? `no answer from ${url.origin}: ${result} (${ADDRESS_REMEDY})`
        : `${url.origin}/healthz answers ${status}`,
    );
  },
};
