import type { WebRequest } from "./web-request.ts";

const FORM_TYPE = "application/x-www-form-urlencoded";

/** A body of exactly this size is still accepted. */
const MAX_BODY_BYTES: number = 64 * 1024;

/**
 * Latchkey's largest form has ten fields. The decoding time depends more on the number of fields
 * than on the number of bytes.
 */
const MAX_FIELDS = 100;
const SEPARATOR = "&".charCodeAt(0);

/**
 * Returns the value of a field of a posted form: the first value if the field is repeated, and an
 * empty string if it is missing.
 */
export type Form = (field: string) => string;

/** Returns which of two required fields are empty. At least one of them must be empty. */
export function findMissingFields<Field extends string>(
  form: Form,
  first: Field,
  second: Field,
): readonly [Field, ...Field[]] {
  if (form(first) !== "") return [second];
  return form(second) === "" ? [first, second] : [first];
}

/**
 * Says why a body cannot be read as a form. `already-read` means that a body parser has read it.
 */
export type FormProblem = "too-large" | "aborted" | "not-a-form" | "not-utf8" | "already-read";

/**
 * Decodes strictly, because a lenient decoder would make different passwords equal. For the same
 * reason, the result of a body parser cannot be used.
 */
export async function readForm(
  request: Pick<WebRequest, "header" | "body">,
): Promise<Form | FormProblem> {
  const body = await readBody(request);
  if (typeof body === "string") return body;
  const contentType = request.header("content-type")?.split(";", 1)[0];
  // A form without fields needs no content type.
  if (body.length === 0) return () => "";
  if (contentType?.trim().toLowerCase() !== FORM_TYPE) return "not-a-form";
  if (hasTooManyFields(body)) return "too-large";
  const fields = parseForm(body);
  return fields === undefined ? "not-utf8" : (field) => fields.get(field) ?? "";
}

function hasTooManyFields(body: Uint8Array): boolean {
  let at = -1;
  for (let fields = 1; fields <= MAX_FIELDS; fields += 1) {
    at = body.indexOf(SEPARATOR, at + 1);
    if (at < 0) return false;
  }
  return true;
}

/** Decodes a form as browsers encode it. Returns `undefined` for invalid UTF-8. */
export function parseForm(body: Uint8Array): URLSearchParams | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    // A percent sign that starts no escape is a plain character, as in browsers.
    const escaped = text.replace(/%(?![\da-f]{2})/gi, "%25");
    // This call throws for invalid UTF-8, which URLSearchParams would replace.
    decodeURIComponent(escaped);
    // The separator keeps a leading question mark, which the constructor would remove.
    return new URLSearchParams(`&${escaped}`);
  } catch {
    return undefined;
  }
}

/** Reads a body of at most 64 KiB. */
export async function readBody(
  request: Pick<WebRequest, "header" | "body">,
): Promise<Uint8Array | "too-large" | "aborted" | "already-read"> {
  if (Number(request.header("content-length")) > MAX_BODY_BYTES) return "too-large";
  const { body } = request;
  if (body === "read") return "already-read";
  const read: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of body) {
      size += piece.byteLength;
      if (size > MAX_BODY_BYTES) return "too-large";
      read.push(piece);
    }
  } catch {
    return "aborted";
  }
  return Buffer.concat(read);
}
