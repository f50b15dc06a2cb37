import { futureDate } from "../core/base/dates.ts";
import { age } from "../gate/settings/values.ts";
import { type CommandOption, type OptionValues, UsageError } from "./command.ts";

export const UNTIL: CommandOption = {
  name: "until",
  value: "date",
  about: "when the account ends, as if it were removed: a date such as 2030-01-31, or with a time",
};

/** The time of `--until`. */
export function givenEnd({ until }: OptionValues): Date | undefined {
  const end = futureDate(String(until), Date.now());
  if (until === undefined || end !== undefined) return end;
  throw new UsageError("--until takes a date to come, such as 2030-01-31 or 2030-01-31T18:00");
}

const LONGEST_MS = 365 * 86_400_000;

/** The milliseconds of an option such as `--expires 7d`. */
export function givenAge(options: OptionValues, name: string): number | undefined {
  const ms = age.parse(String(options[name]), {});
  if (options[name] === undefined || (ms !== undefined && ms <= LONGEST_MS)) return ms;
  throw new UsageError(`--${name} takes a time such as 12h or 7d, at most 365d`);
}

/** To the minute, in the local time zone. */
export const shownDate = (at: Date): string => at.toLocaleString("sv-SE").slice(0, 16);
