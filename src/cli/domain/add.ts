import { stat } from "node:fs/promises";
import { certificateFolder } from "../../gate/https/certificate-folder.ts";
import { certifiableName } from "../../gate/https/host-name.ts";
import type { Command } from "../command.ts";

export const command: Command = {
  details:
    "The gate does this while it runs with HTTPS_PORT. If an attempt for this domain has failed, it tries again at once.",
  operands: [{ name: "name", need: "required" }],
  settings: ["DATA_DIR", "HTTPS_PORT"],
  examples: ["latchkey domain add auth.example.org"],

  async run({ dataDir, httpsPort, tlsCertFile }, options, terminal) {
    const name = certifiableName(String(options.name));
    // With a mistyped DATA_DIR, no gate would ever see the domain.
    const folder = await stat(dataDir).catch(() => undefined);
    if (folder?.isDirectory() !== true) {
      return terminal.fail(
        `there is no data folder ${dataDir}: start the gate first, or set DATA_DIR to its folder`,
      );
    }
    await certificateFolder(dataDir).request(name);
    if (tlsCertFile !== undefined) {
      terminal.complain("unset TLS_CERT_FILE as well: with it, the gate requests no certificates");
    } else if (httpsPort === undefined) {
      terminal.complain("set HTTPS_PORT as well: without it, the gate requests no certificates");
    }
    return terminal.succeed(`Added domain ${name}. To see its progress: latchkey domain status`);
  },
};
