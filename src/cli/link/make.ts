import type { MaybePromise } from "../../core/base/maybe-promise.ts";
import { LINK_LIFETIME_MS } from "../../core/links/link-ports.ts";
import { makeLink, type UnlimitedLink } from "../../core/links/make-link.ts";
import type { Settings } from "../../gate/settings/settings.ts";
import type { CommandOption, OptionValues } from "../command.ts";
import { SUCCESS, type Terminal } from "../terminal.ts";
import { givenAge, shownDate } from "../times.ts";
import { type Accounts, reportRefusal, STORE_SETTINGS, withAccounts } from "../user/accounts.ts";

const LONGEST = "365d";

export const LINK_SETTINGS: readonly string[] = [...STORE_SETTINGS, "PUBLIC_URL"];

export const EXPIRES: CommandOption = {
  name: "expires",
  value: "time",
  about: `how long the link works, such as 12h; at most ${LONGEST}, by default 7d`,
};

interface Printed {
  readonly wanted: (accounts: Accounts) => MaybePromise<UnlimitedLink>;
  /** The username of its account. */
  readonly name?: string | undefined;
  readonly does: string;
}

/**
 * Makes a link and prints it alone, as the only place that ever has it, and what it does on standard
 * error.
 */
export function printLink(
  settings: Settings,
  options: OptionValues,
  terminal: Terminal,
  { wanted, name = "", does }: Printed,
): Promise<number> {
  const { publicUrl } = settings;
  const expiresAt = new Date(
    Date.now() + (givenAge(options, "expires", LONGEST) ?? LINK_LIFETIME_MS),
  );
  if (publicUrl === undefined) {
    const remedy = "set PUBLIC_URL to the address of the gate, such as https://auth.example.org";
    return Promise.resolve(terminal.fail(`a link needs an address: ${remedy}`));
  }
  return withAccounts(settings, terminal, async (accounts) => {
    const made = await makeLink(accounts, { ...(await wanted(accounts)), expiresAt });
    if (made.kind === "no-account") return terminal.fail("there is no account yet: set up first");
    if (made.kind !== "made") return reportRefusal(made.kind, name, terminal);
    terminal.print(`${publicUrl}/link/${made.token}`);
    terminal.complain(`${does}; until ${shownDate(expiresAt)}, not shown again`);
    return SUCCESS;
  });
}
