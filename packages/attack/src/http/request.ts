import { type Http2Request, sendOverHttp2 } from "./http2.ts";
import { type HttpResponse, parseResponses } from "./response.ts";
import { exchange, NoResponse, type Sending, type ServerAddress } from "./wire.ts";

/** An array sends one line per value; `undefined` removes a header that is sent by default. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface HttpRequest {
  readonly path: string;
  readonly method?: string;
  /** Instead of the version of the address. */
  readonly version?: "1.0" | "1.1" | "2";
  readonly headers?: Headers;
  /** Sent URL-encoded, as a browser sends a form. */
  readonly form?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Sent after a chunked body without content. HTTP/1.1 only. */
  readonly trailers?: Readonly<Record<string, string>>;
  /** The value of the `session` cookie. */
  readonly session?: string | undefined;
  /** The local address to connect from. */
  readonly from?: string | undefined;
  readonly withinMs?: number;
}

/** Sends one request over its own connection. Does not follow redirects. */
export async function sendRequest(
  address: ServerAddress,
  request: HttpRequest,
  signal?: AbortSignal,
): Promise<HttpResponse> {
  const { from, withinMs } = request;
  const parts = partsOf(address, request);
  const { method } = parts;
  const sending: Sending = {
    methods: [method],
    signal,
    from,
    ...(withinMs === undefined ? {} : { withinMs }),
  };
  const { version = address.http2 === undefined ? "1.1" : "2" } = request;
  if (version === "2") return sendOverHttp2(address, parts, sending);
  const { bytes, ended } = await exchange(address, requestBytes(address, request), sending);
  const [response] = parseResponses(bytes, [method], ended === "timeout" ? "open" : "closed");
  if (response !== undefined) return response;
  throw new NoResponse(
    ended === "timeout" ? "no response in time" : "the connection was closed without a response",
  );
}

export const hostOf = ({ protocol, host, port }: ServerAddress): string => {
  const name = host.includes(":") ? `[${host}]` : host;
  return port === (protocol === "https:" ? 443 : 80) ? name : `${name}:${port}`;
};

const methodOf = ({ method, form, body }: HttpRequest): string =>
  method ?? (form === undefined && body === undefined ? "GET" : "POST");

/** The bytes of a request, unchecked, because attacks send malformed requests on purpose. */
export function requestBytes(address: ServerAddress, request: HttpRequest): Buffer {
  const { method, path, headers, body } = partsOf(address, request);
  const lines = headers.flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}: ${one}\r\n`),
  );
  if (request.trailers !== undefined) {
    const ends = Object.entries(request.trailers).map(([name, value]) => `${name}: ${value}\r\n`);
    lines.push("Transfer-Encoding: chunked\r\n");
    const chunks = `0\r\n${ends.join("")}\r\n`;
    return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${chunks}`, "latin1");
  }
  const head = `${method} ${path} HTTP/${request.version ?? "1.1"}\r\n${lines.join("")}\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), body]);
}

function partsOf(address: ServerAddress, request: HttpRequest): Http2Request {
  const { path, form, session } = request;
  const hasBody = form !== undefined || request.body !== undefined;
  const body = Buffer.from(
    request.body ?? (form === undefined ? "" : new URLSearchParams(form).toString()),
  );
  const headers: Headers = {
    Host: hostOf(address),
    Connection: "close",
    "Content-Type": hasBody ? "application/x-www-form-urlencoded" : undefined,
    "Content-Length": hasBody ? String(body.length) : undefined,
    Cookie: session === undefined ? undefined : `session=${session}`,
    ...request.headers,
  };
  const sent = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return { method: methodOf(request), path, headers: sent, body };
}
