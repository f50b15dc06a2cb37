import { type Finding, hint, problem } from "./finding.ts";

const DAY_MS = 86_400_000;
const SOON_DAYS = 14;

/** Automatic renewal happens long before SOON_DAYS, so a certificate that ends soon is a hint. */
export function expiryFindings(
  what: string,
  expiry: Date,
  now: number,
  remedy: string,
): readonly Finding[] {
  const days = Math.floor((expiry.getTime() - now) / DAY_MS);
  const day = dayOf(expiry);
  if (expiry.getTime() <= now) return [problem(`${what} has expired on ${day}`, remedy)];
  if (days >= SOON_DAYS) return [];
  return [hint(`${what} expires on ${day}, ${inDays(days)}`, remedy)];
}

function inDays(days: number): string {
  if (days === 0) return "within a day";
  return `in ${days} ${days === 1 ? "day" : "days"}`;
}

export const dayOf = (date: Date): string => date.toISOString().slice(0, 10);
