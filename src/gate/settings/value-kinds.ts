/** What a shell can complete: one of a few words, a path, or nothing. */
export type ValueKind = readonly string[] | "file" | "folder" | "free";

/** `a, b or c`. */
export const oneOf = (choices: readonly string[]): string =>
  [choices.slice(0, -1).join(", "), ...choices.slice(-1)]
    .filter((part) => part !== "")
    .join(" or ");

export const chosen = <T extends string>(choices: readonly T[], given: unknown): T | undefined =>
  choices.find((choice) => choice === given);
