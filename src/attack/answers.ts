/** One answer of a server, as it stood on the wire. */
export interface Answer {
  readonly status: number;
  /** In the order in which they came, names as they were written. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
  readonly location: string | undefined;
  /** The Set-Cookie lines. */
  readonly cookies: readonly string[];
  /** The value of the `session` cookie that was set, if one was and is not empty. */
  readonly session: string | undefined;
}

export function headerOf(answer: Answer, name: string): string | undefined {
  return valuesOf(answer, name)[0];
}

export function valuesOf({ headers }: Answer, name: string): readonly string[] {
  return headers.flatMap(([one, value]) => (one.toLowerCase() === name ? [value] : []));
}

export interface Reading {
  readonly answers: readonly Answer[];
  /** Whether bytes are left that make no whole answer (yet). */
  readonly rest: "none" | "some";
}

/**
 * Reads the answers that stand one after the other. Whether an answer has a body depends on what
 * was asked; a connection that was closed ends a body that says no length.
 */
export function readAnswers(
  bytes: Uint8Array,
  methods: readonly string[],
  connection: "open" | "closed",
): Reading {
  const text = Buffer.from(bytes).toString("latin1");
  const answers: Answer[] = [];
  let at = 0;
  while (at < text.length) {
    const found = readOne(text, at, methods[answers.length] ?? "GET", connection);
    if (found === undefined) return { answers, rest: "some" };
    at = found.end;
    // 100 Continue and its like announce an answer, and are none.
    if (found.answer.status >= 200) answers.push(found.answer);
  }
  return { answers, rest: "none" };
}

function readOne(
  text: string,
  start: number,
  method: string,
  connection: "open" | "closed",
): { readonly answer: Answer; readonly end: number } | undefined {
  const headEnd = text.indexOf("\r\n\r\n", start);
  const [statusLine = "", ...lines] = text.slice(start, headEnd).split("\r\n");
  const status = Number(/^HTTP\/1\.[01] (\d{3})( |$)/.exec(statusLine)?.[1]);
  if (headEnd === -1 || Number.isNaN(status)) return undefined;
  const headers = lines.map((line): readonly [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const bodyStart = headEnd + 4;
  const bodyless = method === "HEAD" || status < 200 || status === 204 || status === 304;
  const body = bodyless
    ? { text: "", end: bodyStart }
    : bodyIn(text, bodyStart, headers, connection);
  return body && { answer: answerOf(status, headers, body.text), end: body.end };
}

function bodyIn(
  text: string,
  start: number,
  headers: Answer["headers"],
  connection: "open" | "closed",
): { readonly text: string; readonly end: number } | undefined {
  const value = (wanted: string): string | undefined =>
    headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
  if (value("transfer-encoding")?.toLowerCase().includes("chunked")) return chunksIn(text, start);
  const length = value("content-length");
  if (length !== undefined) {
    const end = start + Number(length);
    return end <= text.length ? { text: text.slice(start, end), end } : undefined;
  }
  return connection === "closed" ? { text: text.slice(start), end: text.length } : undefined;
}

function chunksIn(
  text: string,
  start: number,
): { readonly text: string; readonly end: number } | undefined {
  let body = "";
  for (let at = start; ; ) {
    const lineEnd = text.indexOf("\r\n", at);
    const size = Number.parseInt(text.slice(at, lineEnd), 16);
    if (lineEnd === -1 || Number.isNaN(size)) return undefined;
    const from = lineEnd + 2;
    if (size === 0) {
      const end = text.indexOf("\r\n", from);
      return end === -1 ? undefined : { text: body, end: end + 2 };
    }
    if (from + size + 2 > text.length) return undefined;
    body += text.slice(from, from + size);
    at = from + size + 2;
  }
}

function answerOf(status: number, headers: Answer["headers"], body: string): Answer {
  const all = (wanted: string): readonly string[] =>
    headers.flatMap(([name, value]) => (name.toLowerCase() === wanted ? [value] : []));
  const cookies = all("set-cookie");
  const sessions = cookies.flatMap((cookie) => /^session=([^;]+)/.exec(cookie)?.[1] ?? []);
  return {
    status,
    headers,
    body: Buffer.from(body, "latin1").toString("utf8"),
    location: all("location")[0],
    cookies,
    session: sessions.at(-1),
  };
}
