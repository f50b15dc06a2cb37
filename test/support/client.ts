import { type ClientRequest, type IncomingHttpHeaders, request } from "node:http";

export interface Sending {
  readonly method?: string;
  /** Sent url-encoded, as a browser's form. */
  readonly form?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** The value of the `session` cookie. */
  readonly session?: string | undefined;
  /** The local address of the client, for example 127.0.0.2 for another client than 127.0.0.1. */
  readonly from?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly location: string | undefined;
  /** The unparsed Set-Cookie lines. */
  readonly cookies: readonly string[];
  /** The value of the `session` cookie that was set, if one was. */
  readonly session: string | undefined;
}

/** Sends one request over a new connection, without following redirects. */
export function send(url: string, sending: Sending = {}): Promise<Answer> {
  const { form, session, from } = sending;
  const body = sending.body ?? (form && new URLSearchParams(form).toString());
  return new Promise((resolve, reject) => {
    const outgoing: ClientRequest = request(
      url,
      {
        agent: false,
        method: sending.method ?? (body === undefined ? "GET" : "POST"),
        ...(from === undefined ? {} : { localAddress: from }),
        headers: {
          ...(form === undefined ? {} : { "Content-Type": "application/x-www-form-urlencoded" }),
          ...(body === undefined ? {} : { "Content-Length": Buffer.byteLength(body) }),
          ...(session === undefined ? {} : { Cookie: `session=${session}` }),
          ...sending.headers,
        },
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("error", reject);
        incoming.on("end", () => {
          const cookies = incoming.headers["set-cookie"] ?? [];
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            body: Buffer.concat(chunks).toString("utf8"),
            location: incoming.headers.location,
            cookies,
            session: /^session=([^;]*)/.exec(cookies.at(-1) ?? "")?.[1],
          });
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
