/** One response, parsed leniently from the bytes on the wire. */
export interface HttpResponse {
  readonly status: number;
  /** In the order received, with the names as written. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
  readonly location: string | undefined;
  /** The Set-Cookie lines. */
  readonly cookies: readonly string[];
  /** The non-empty value of the `session` cookie that was set. */
  readonly session: string | undefined;
}

export function headerOf(
  response: Pick<HttpResponse, "headers">,
  name: string,
): string | undefined {
  return valuesOf(response, name)[0];
}

export function valuesOf(
  { headers }: Pick<HttpResponse, "headers">,
  name: string,
): readonly string[] {
  return headers.flatMap(([one, value]) => (one.toLowerCase() === name ? [value] : []));
}

/**
 * Parses the complete responses in `bytes`. The method of each request decides whether its response
 * has a body; a closed connection ends a body without a length.
 */
export function parseResponses(
  bytes: Uint8Array,
  methods: readonly string[],
  connection: "open" | "closed",
): readonly HttpResponse[] {
  const text = Buffer.from(bytes).toString("latin1");
  const responses: HttpResponse[] = [];
  let position = 0;
  while (position < text.length) {
    const parsed = parseOne(text, position, methods[responses.length] ?? "GET", connection);
    if (parsed === undefined) break;
    position = parsed.end;
    // Interim responses such as 100 Continue precede the real one.
    if (parsed.response.status >= 200) responses.push(parsed.response);
  }
  return responses;
}

function parseOne(
  text: string,
  start: number,
  method: string,
  connection: "open" | "closed",
): { readonly response: HttpResponse; readonly end: number } | undefined {
  const headEnd = text.indexOf("\r\n\r\n", start);
  const [statusLine = "", ...lines] = text.slice(start, headEnd).split("\r\n");
  const status = Number(/^HTTP\/1\.[01] (\d{3})( |$)/.exec(statusLine)?.[1]);
  if (headEnd === -1 || Number.isNaN(status)) return undefined;
  const headers = lines.map((line): readonly [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const bodyStart = headEnd + 4;
  const hasNoBody = method === "HEAD" || status < 200 || status === 204 || status === 304;
  const body = hasNoBody
    ? { text: "", end: bodyStart }
    : parseBody(text, bodyStart, headers, connection);
  return body && { response: responseOf(status, headers, body.text), end: body.end };
}

interface Body {
  readonly text: string;
  readonly end: number;
}

function parseBody(
  text: string,
  start: number,
  headers: HttpResponse["headers"],
  connection: "open" | "closed",
): Body | undefined {
  const encoding = headerOf({ headers }, "transfer-encoding");
  if (encoding?.toLowerCase().includes("chunked")) return parseChunks(text, start);
  const length = headerOf({ headers }, "content-length");
  if (length !== undefined) {
    const end = start + Number(length);
    return end <= text.length ? { text: text.slice(start, end), end } : undefined;
  }
  return connection === "closed" ? { text: text.slice(start), end: text.length } : undefined;
}

function parseChunks(text: string, start: number): Body | undefined {
  let body = "";
  for (let position = start; ; ) {
    const lineEnd = text.indexOf("\r\n", position);
    const size = Number.parseInt(text.slice(position, lineEnd), 16);
    if (lineEnd === -1 || Number.isNaN(size)) return undefined;
    const from = lineEnd + 2;
    if (size === 0) {
      const end = text.indexOf("\r\n", from);
      return end === -1 ? undefined : { text: body, end: end + 2 };
    }
    if (from + size + 2 > text.length) return undefined;
    body += text.slice(from, from + size);
    position = from + size + 2;
  }
}

/** @param body one character per byte */
export function responseOf(
  status: number,
  headers: HttpResponse["headers"],
  body: string,
): HttpResponse {
  const cookies = valuesOf({ headers }, "set-cookie");
  const sessions = cookies.flatMap((cookie) => /^session=([^;]+)/.exec(cookie)?.[1] ?? []);
  return {
    status,
    headers,
    body: Buffer.from(body, "latin1").toString("utf8"),
    location: headerOf({ headers }, "location"),
    cookies,
    session: sessions.at(-1),
  };
}
