import { stat } from "node:fs/promises";
import { certificateFolder } from "../../gate/https/certificate-folder.ts";
import { certifiableName } from "../../gate/https/host-name.ts";
import { type Command, FAILURE, SUCCESS } from "../command.ts";

export const domainAddCommand: Command = {
  name: "domain add",
  summary:
    "Has the gate get a certificate for a name and keep it renewed. For a name that failed, it tries again at once.",
  operands: [{ name: "name", need: "required" }],
  options: [],
  settings: ["DATA_DIR", "HTTPS_PORT"],

  async run({ dataDir, httpsPort, tlsCertFile }, options, terminal) {
    const name = certifiableName(String(options.name));
    // A slip in DATA_DIR would otherwise leave the name where no gate looks.
    if (!(await isFolder(dataDir))) {
      terminal.complain(
        `there is no data folder ${dataDir}: start the gate first, or see DATA_DIR`,
      );
      return FAILURE;
    }
    await certificateFolder(dataDir).want(name);
    if (tlsCertFile !== undefined) {
      terminal.complain("as long as TLS_CERT_FILE is set, the gate asks for no certificate");
    } else if (httpsPort === undefined) {
      terminal.complain("the gate asks for certificates only where HTTPS_PORT is set");
    }
    terminal.print(`${name} is noted. How it goes: latchkey domain status`);
    return SUCCESS;
  },
};

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
