import { groupsIn, setGroups } from "../../core/accounts/set-groups.ts";
import { type Command, type CommandOption, UsageError } from "../command.ts";
import { idOf, quoted, reportRefusal, STORE_SETTINGS, withAccounts } from "./accounts.ts";

export const command: Command = {
  details:
    "Replaces the groups of a user; an empty text removes all. A group has up to 32 lower-case letters, digits and hyphens, and a user up to 32 groups. Gates notice it within a second.",
  operands: [
    { name: "name", need: "required" },
    { name: "groups", need: "required" },
  ],
  settings: STORE_SETTINGS,
  examples: ["latchkey user groups alice family,photos", 'latchkey user groups alice ""'],

  run(settings, options, terminal) {
    const groups = givenGroups(options.groups);
    return withAccounts(settings, terminal, async (accounts) => {
      const username = String(options.name);
      const outcome = await setGroups(accounts, await idOf(accounts, username), groups);
      if (outcome !== "set") return reportRefusal(outcome, username, terminal);
      const shown = groups.length === 0 ? "no groups" : `the groups ${groups.join(", ")}`;
      return terminal.succeed(`User ${quoted(username)} has ${shown}.`);
    });
  },
};

export const GROUPS: CommandOption = {
  name: "groups",
  value: "groups",
  about: "with commas between them, such as family,photos",
};

/** The groups of an operand or option. */
export function givenGroups(text: unknown): readonly string[] {
  const groups = groupsIn(String(text ?? ""));
  if (groups !== "invalid") return groups;
  throw new UsageError(
    "groups are up to 32 names of lower-case letters, digits and hyphens, with commas between them",
  );
}
