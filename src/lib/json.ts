import { tryCall } from "./fault.ts";

/** Parses a text that is a JSON object. Returns `undefined` for any other text. */
export function parseJsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value: unknown = tryCall(() => JSON.parse(text));
  return isObject(value) ? value : undefined;
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns a text that is not empty, and `undefined` for any other value of a parsed answer. */
export const readText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
