import { Fault } from "../../core/fault.ts";

const FORM_TYPE = "application/x-www-form-urlencoded";

/** A body of exactly this size is accepted. */
export const MAX_BODY_BYTES: number = 64 * 1024;

/** The fields of a posted form. The first value of a repeated field counts; a missing one is empty. */
export type Form = (field: string) => string;

/** Which of two required fields are empty; at least one of them is. */
export function missingFields<Field extends string>(
  form: Form,
  first: Field,
  second: Field,
): readonly [Field, ...Field[]] {
  if (form(first) !== "") return [second];
  return form(second) === "" ? [first, second] : [first];
}

export type FormReading =
  | { readonly kind: "form"; readonly form: Form }
  | { readonly kind: "too-large" }
  | { readonly kind: "not-utf8" }
  | { readonly kind: "aborted" };

interface Incoming {
  readonly readableDidRead?: unknown;
  readonly rawBody?: unknown;
}

/**
 * Decodes strictly, since a lenient decoder would make different passwords equal. So the result of
 * a body parser cannot be used.
 *
 * @param incoming is the Node request, if there is one.
 * @throws {Fault} `form_already_read` if a body parser has read the body.
 */
export async function readForm(request: Request, incoming?: Incoming): Promise<FormReading> {
  if (isRead(request, incoming)) {
    throw new Fault(
      "form_already_read",
      "another middleware has read the form: mount Latchkey's routes before body parsers",
    );
  }
  const body = await readBody(request);
  if (!(body instanceof Uint8Array)) return body;
  const contentType = request.headers.get("content-type")?.split(";", 1)[0];
  if (contentType?.trim().toLowerCase() !== FORM_TYPE) return { kind: "form", form: () => "" };
  const fields = parseForm(body);
  if (fields === undefined) return { kind: "not-utf8" };
  return { kind: "form", form: (field) => fields.get(field) ?? "" };
}

/** Hono's Node server reads `rawBody` instead of the stream, if a body parser has kept it. */
function isRead(request: Request, incoming: Incoming = {}): boolean {
  if (incoming.readableDidRead === undefined) return request.bodyUsed;
  return incoming.readableDidRead === true && !(incoming.rawBody instanceof Buffer);
}

/** Decodes a form as browsers encode it. Returns `undefined` for invalid UTF-8. */
export function parseForm(body: Uint8Array): URLSearchParams | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    // As in browsers, a percent sign that starts no escape is a plain character.
    const escaped = text.replace(/%(?![\da-f]{2})/gi, "%25");
    // Throws for invalid UTF-8, which URLSearchParams would replace.
    decodeURIComponent(escaped);
    // The separator keeps a leading question mark, which the constructor would remove.
    return new URLSearchParams(`&${escaped}`);
  } catch {
    return undefined;
  }
}

type Body = Uint8Array | { readonly kind: "too-large" | "aborted" };

async function readBody(request: Request): Promise<Body> {
  const length = request.headers.get("content-length");
  if (Number(length) > MAX_BODY_BYTES) return { kind: "too-large" };
  try {
    // If the length is known, reading at once costs a third of reading a stream.
    return length === null
      ? await readCounting(request.body ?? [])
      : new Uint8Array(await request.arrayBuffer());
  } catch {
    return { kind: "aborted" };
  }
}

async function readCounting(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<Body> {
  const read: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) return { kind: "too-large" };
    read.push(chunk);
  }
  return Buffer.concat(read);
}
