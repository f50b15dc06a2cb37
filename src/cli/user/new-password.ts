import type { Buffer } from "node:buffer";
import { buffer } from "node:stream/consumers";
import { Fault } from "../../core/fault.ts";
import { isTooShort } from "../../core/password-length.ts";
import { type OptionValues, UsageError } from "../command.ts";
import { askSecrets } from "../prompt.ts";
import { TOO_SHORT } from "./accounts.ts";

/** From standard input where the switch says so, otherwise asked for twice. Never from an argument. */
export async function newPassword(options: OptionValues): Promise<string> {
  if (options["password-stdin"] === true) return passwordIn(await buffer(process.stdin));
  if (!process.stdin.isTTY) {
    throw new UsageError("there is no terminal to ask at: use --password-stdin");
  }
  const [password = "", again] = await askSecrets(QUESTIONS, refuseShort);
  if (again !== password) {
    throw new Fault("passwords_differ", "the two passwords are not the same: nothing was changed");
  }
  return password;
}

const QUESTIONS = ["New password: ", "The same again: "];

function refuseShort(password: string): void {
  if (isTooShort(password)) throw new Fault("password_too_short", TOO_SHORT);
}

/** The line break at the end is the shell's. */
function passwordIn(bytes: Buffer): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.replace(/\r?\n$/, "");
  } catch {
    throw new UsageError("the password on standard input is not valid UTF-8");
  }
}
