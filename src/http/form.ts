import type { WebRequest } from "./web-request.ts";

const FORM_TYPE = "application/x-www-form-urlencoded";
const UPLOAD_TYPE = "multipart/form-data";

/** A body of exactly this size is still accepted. */
const MAX_BODY_BYTES: number = 64 * 1024;

/** An icon has up to 512 KiB. The rest is for the fields and the boundaries. */
const MAX_UPLOAD_BYTES: number = 600 * 1024;
/** The form for an icon has three fields. */
const MAX_PARTS = 10;

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
export interface Form {
  (field: string): string;
  /** Contains the file of an upload. It is `undefined` if no file was chosen. */
  readonly file?: Uint8Array | undefined;
}

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
export type FormProblem =
  | "too-large"
  | "aborted"
  | "not-a-form"
  | "not-utf8"
  | "malformed"
  | "already-read";

/**
 * Decodes strictly, because a lenient decoder would make different passwords equal. For the same
 * reason, the result of a body parser cannot be used.
 */
export async function readForm(
  request: Pick<WebRequest, "header" | "body">,
): Promise<Form | FormProblem> {
  const body = await readBody(request);
  if (typeof body === "string") return body;
  // A form without fields needs no content type.
  if (body.length === 0) return () => "";
  if (readType(request) !== FORM_TYPE) return "not-a-form";
  if (hasTooManyFields(body)) return "too-large";
  const fields = parseForm(body);
  return fields === undefined ? "not-utf8" : (field) => fields.get(field) ?? "";
}

/** Returns the type of a body without its parameters. */
export const readType = (request: Pick<WebRequest, "header">): string | undefined =>
  request.header("content-type")?.split(";", 1)[0]?.trim().toLowerCase();

/**
 * Reads a form with at most one file, with the parser of the platform. Drops the name and the type
 * that the file came with, which any client can choose.
 */
export async function readUpload(
  request: Pick<WebRequest, "header" | "body">,
): Promise<Form | FormProblem> {
  const type = request.header("content-type") ?? "";
  if (readType(request) !== UPLOAD_TYPE) return "not-a-form";
  const body = await readBody(request, MAX_UPLOAD_BYTES);
  if (typeof body === "string") return body;
  let parts: readonly (readonly [name: string, value: string | File])[];
  try {
    const response = new Response(Uint8Array.from(body), { headers: { "Content-Type": type } });
    parts = [...(await response.formData())];
  } catch {
    return "malformed";
  }
  const fields = new Map<string, string>();
  const files: File[] = [];
  for (const [name, value] of parts) {
    // Browsers send an empty file without a name if none was chosen.
    if (typeof value !== "string") {
      if (value.size > 0 || value.name !== "") files.push(value);
    } else if (!fields.has(name)) fields.set(name, value);
  }
  const [file] = files;
  if (files.length > 1 || parts.length > MAX_PARTS) return "malformed";
  const content = file && new Uint8Array(await file.arrayBuffer());
  return Object.assign((name: string) => fields.get(name) ?? "", { file: content });
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

/** Reads a body of at most 64 KiB, or of another limit. */
export async function readBody(
  request: Pick<WebRequest, "header" | "body">,
  limit: number = MAX_BODY_BYTES,
): Promise<Uint8Array | "too-large" | "aborted" | "already-read"> {
  if (Number(request.header("content-length")) > limit) return "too-large";
  const { body } = request;
  if (body === "read") return "already-read";
  const read: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of body) {
      size += piece.byteLength;
      if (size > limit) return "too-large";
      read.push(piece);
    }
  } catch {
    return "aborted";
  }
  return Buffer.concat(read);
}
