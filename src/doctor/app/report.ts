/** Names the steps in their order. */
export const STEPS = [
  "address",
  "gate",
  "clock",
  "guard",
  "headers",
  "session",
  "start",
  "request",
  "code",
  "tokens",
  "claims",
  "app",
] as const;

export type Step = (typeof STEPS)[number];

/** Describes the outcome of a step. A failed step says what to change, a skipped one how to go on. */
export type StepReport = { readonly check: Step; readonly found: string } & (
  | { readonly outcome: "ok" }
  | { readonly outcome: "problem"; readonly remedy: string }
  | { readonly outcome: "skipped"; readonly remedy?: string }
);

export const passed = (check: Step, found: string): StepReport => ({ check, outcome: "ok", found });

export const failed = (check: Step, found: string, remedy: string): StepReport => ({
  check,
  outcome: "problem",
  found,
  remedy,
});

export const skipped = (check: Step, found: string, remedy?: string): StepReport => ({
  check,
  outcome: "skipped",
  found,
  ...(remedy !== undefined && { remedy }),
});

const MAX_SHOWN = 200;

/** Shortens a text of an app. The command prints its control characters as code points. */
export const shorten = (text: string): string =>
  text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN).toWellFormed()}…`;

/** Returns a URL without its query, which can contain a code. */
export const showUrl = ({ origin, protocol, host, pathname }: URL): string =>
  shorten(origin === "null" ? `${protocol}//${host}${pathname}` : `${origin}${pathname}`);
