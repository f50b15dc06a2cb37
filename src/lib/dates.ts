/** Parses a date with an optional time. The time is local unless it names a zone. */
export function parseDate(text: string): Date | undefined {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)(T.+)?$/.exec(text) ?? [];
  // JavaScript alone would read a date as UTC and accept 30 February as a day in March.
  const isDay = day !== undefined && new Date(`${day}T00:00Z`).toJSON()?.startsWith(day) === true;
  const date = new Date(`${day}${time ?? "T00:00"}`);
  return isDay && !Number.isNaN(date.getTime()) ? date : undefined;
}

/** Parses a date like `parseDate`, but returns `undefined` unless the date is in the future. */
export function parseFutureDate(text: string, now: number): Date | undefined {
  const date = parseDate(text);
  return date !== undefined && date.getTime() > now ? date : undefined;
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1e3, m: 60e3, h: 3600e3, d: 86_400e3 };

/** Parses an age such as `2h` into milliseconds. */
export function parseAge(text: string): number | undefined {
  const [, number, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return number === undefined ? undefined : Number(number) * (UNIT_MS[unit] ?? 0);
}
