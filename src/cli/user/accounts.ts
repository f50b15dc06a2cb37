import { toEntry } from "../../core/event-log.ts";
import type { Event } from "../../core/events.ts";
import { messageOf } from "../../core/fault.ts";
import { MIN_PASSWORD_BYTES } from "../../core/password-length.ts";
import { createPasswords, type Passwords } from "../../core/passwords.ts";
import { type OpenStore, openStore } from "../../gate/open-store.ts";
import type { Settings } from "../../gate/settings/settings.ts";
import { FAILURE } from "../command.ts";
import type { Terminal } from "../terminal.ts";

/** What the commands about accounts work with. */
export interface Accounts {
  readonly store: OpenStore;
  readonly passwords: Passwords;
  readonly clock: { now(): number };
  /** Written before the command ends: unlike a page, a command can wait for it. */
  readonly record: (event: Event) => Promise<void>;
}

/** Opens the store for a command, never makes one, and closes it afterwards. */
export async function withAccounts<T>(
  settings: Settings,
  terminal: Terminal,
  work: (accounts: Accounts) => Promise<T>,
): Promise<T> {
  const store = await openStore(settings, "refuse");
  const clock = { now: () => Date.now() };
  try {
    return await work({
      store,
      clock,
      passwords: createPasswords({ atOnce: 1, waiting: 0 }),
      record: async (event) => {
        try {
          await store.insertLogEntries([toEntry(event, clock)]);
        } catch (error) {
          terminal.complain(`done, but there is no log entry of it: ${messageOf(error)}`);
        }
      },
    });
  } finally {
    await store.close();
  }
}

/** The settings that say which store it is. */
export const STORE_SETTINGS: readonly string[] = ["DATA_DIR", "DATABASE_URL", "DATABASE_URL_FILE"];

export const noAccount = (username: string, terminal: Terminal): number =>
  failure(`there is no account ${username}`, terminal);

export const accountTaken = (username: string, terminal: Terminal): number =>
  failure(`there is an account ${username} already`, terminal);

export const TOO_SHORT: string = `a password has to have ${MIN_PASSWORD_BYTES} bytes or more`;

export const passwordTooShort = (terminal: Terminal): number => failure(TOO_SHORT, terminal);

function failure(problem: string, terminal: Terminal): number {
  terminal.complain(problem);
  return FAILURE;
}
