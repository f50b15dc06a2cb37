import { randomBytes } from "node:crypto";
import { type Command, SUCCESS } from "./command.ts";

const SECRET_BYTES = 32;

export const secretCommand: Command = {
  name: "secret",
  summary: "Prints a new random secret, to be given to every instance as AUTH_SECRET.",
  options: [],
  settings: [],

  async run(_settings, _options, terminal) {
    terminal.print(randomBytes(SECRET_BYTES).toString("base64url"));
    return SUCCESS;
  },
};
