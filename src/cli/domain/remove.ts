import { certificateFolder } from "../../gate/https/certificate-folder.ts";
import { certifiableName } from "../../gate/https/host-name.ts";
import { type Command, FAILURE, SUCCESS } from "../command.ts";

export const domainRemoveCommand: Command = {
  name: "domain remove",
  summary: "Forgets a name and its certificate. The gate asks for no other one.",
  operands: [{ name: "name", need: "required" }],
  options: [],
  settings: ["DATA_DIR"],

  async run({ dataDir }, options, terminal) {
    const name = certifiableName(String(options.name));
    if (await certificateFolder(dataDir).forget(name)) return SUCCESS;
    terminal.complain(`there is no domain ${name}: see latchkey domain status`);
    return FAILURE;
  },
};
