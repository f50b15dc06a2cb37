import { makeSecret } from "../gate/make-secret-file.ts";
import type { Command } from "./command.ts";

export const command: Command = {
  details: "Give the same value to every instance.",
  settings: [],
  examples: ['echo "AUTH_SECRET=$(latchkey secret)" >> latchkey.env'],

  run: async (_settings, _options, terminal) => terminal.succeed(makeSecret()),
};
