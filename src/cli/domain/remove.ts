import { certificateFolder } from "../../gate/https/certificate-folder.ts";
import { certifiableName } from "../../gate/https/host-name.ts";
import type { Command } from "../command.ts";

export const command: Command = {
  details: "The gate requests no further certificate for it.",
  operands: [{ name: "name", need: "required" }],
  settings: ["DATA_DIR"],
  examples: ["latchkey domain remove auth.example.org"],

  async run({ dataDir }, options, terminal) {
    const name = certifiableName(String(options.name));
    return (await certificateFolder(dataDir).remove(name))
      ? terminal.succeed(`Removed domain ${name} and its certificate.`)
      : terminal.fail(`there is no domain ${name}: see latchkey domain status`);
  },
};
