import { isObject } from "../lib/json.ts";
import { type Form, readBody, readType } from "./form.ts";
import type { WebRequest } from "./web-request.ts";

/** Lists the fields of a JSON body that a route reads. Other fields are ignored, as in a form. */
export type JsonFields = Readonly<Record<string, "text" | "flag">>;

/** Says that fields of a JSON body have values of other types. */
export interface WrongTypes {
  readonly kind: "wrong-types";
  readonly fields: readonly string[];
}

/** Says why a body cannot be read as JSON. */
export type JsonProblem =
  | "too-large"
  | "aborted"
  | "not-json"
  | "not-utf8"
  | "malformed"
  | "already-read"
  | WrongTypes;

/**
 * Reads a JSON object as if it were a form: a field that is missing is an empty text, and so is a
 * flag that is false. The type of the body is required even if the body is empty, because pages of
 * other sites cannot send this type without asking first.
 */
export async function readJson(
  request: Pick<WebRequest, "header" | "body">,
  fields: JsonFields,
): Promise<Form | JsonProblem> {
  const body = await readBody(request);
  if (typeof body === "string") return body;
  if (readType(request) !== "application/json") return "not-json";
  if (body.length === 0) return () => "";
  const text = decode(body);
  return text === undefined ? "not-utf8" : parseJson(text, fields);
}

/** Keeps a byte order mark, which JSON does not allow. */
function decode(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}

/** Reads the fields of a JSON object. */
export function parseJson(text: string, fields: JsonFields): Form | "malformed" | WrongTypes {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return "malformed";
  }
  // Other programs before the app could read the other of two values.
  if (!isObject(body) || hasRepeatedField(text)) return "malformed";
  const values = new Map<string, string>();
  const wrong: string[] = [];
  for (const [name, type] of Object.entries(fields)) {
    if (!Object.hasOwn(body, name)) continue;
    const value = body[name];
    if (type === "text" && typeof value === "string") values.set(name, value);
    else if (type === "flag" && typeof value === "boolean") values.set(name, value ? "1" : "");
    else wrong.push(name);
  }
  // Half of a surrogate pair has no UTF-8, so passwords that differ only there would be equal.
  if (![...values.values()].every((value) => value.isWellFormed())) return "malformed";
  if (wrong.length > 0) return { kind: "wrong-types", fields: wrong };
  return (name) => values.get(name) ?? "";
}

/** Matches a string of valid JSON, with the colon behind a name, or a bracket. */
const TOKENS = /"(?:[^"\\]|\\.)*"(?:[ \t\r\n]*:)?|[{}[\]]/g;

/** Returns whether the outermost object of valid JSON has two fields of the same name. */
function hasRepeatedField(json: string): boolean {
  const names = new Set<unknown>();
  let depth = 0;
  for (const [token] of json.matchAll(TOKENS)) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    else if (depth === 1 && token.endsWith(":")) {
      const name: unknown = JSON.parse(token.slice(0, token.lastIndexOf('"') + 1));
      if (names.has(name)) return true;
      names.add(name);
    }
  }
  return false;
}
