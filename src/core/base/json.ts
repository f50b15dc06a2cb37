import { unlessThrown } from "./fault.ts";

/** The content of a text that is a JSON object; `undefined` for any other. */
export function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const value: unknown = unlessThrown(() => JSON.parse(text));
  return isObject(value) ? value : undefined;
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
