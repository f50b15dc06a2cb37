import { randomBytes } from "node:crypto";
import type { Command } from "./command.ts";

const SECRET_BYTES = 32;

export const command: Command = {
  details: "Give the same value to every instance.",
  settings: [],
  examples: ['echo "AUTH_SECRET=$(latchkey secret)" >> latchkey.env'],

  run: async (_settings, _options, terminal) =>
    terminal.succeed(randomBytes(SECRET_BYTES).toString("base64url")),
};
