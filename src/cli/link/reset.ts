import type { Command } from "../command.ts";
import { type Accounts, idOf, quoted } from "../user/accounts.ts";
import { EXPIRES, LINK_SETTINGS, printLink } from "./make.ts";

export const command: Command = {
  details:
    "Whoever opens the link first chooses a new password. All sessions of the user end; one-time codes and passkeys stay.",
  operands: [{ name: "name", need: "required" }],
  options: [{ name: "codes-off", about: "also turn off one-time codes" }, EXPIRES],
  settings: LINK_SETTINGS,
  examples: ["latchkey link reset alice", "latchkey link reset alice --codes-off --expires 12h"],

  run(settings, options, terminal) {
    const name = String(options.name);
    const isCodesOff = options["codes-off"] === true;
    const purpose = isCodesOff ? ("reset-codes-off" as const) : ("reset" as const);
    const wanted = async (of: Accounts) => ({ purpose, userId: await idOf(of, name) });
    const codes = isCodesOff ? " and turns off one-time codes" : "";
    const does = `sets a new password of user ${quoted(name)}${codes}, once`;
    return printLink(settings, options, terminal, { wanted, name, does });
  },
};
