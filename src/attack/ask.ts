import { type Answer, readAnswers } from "./answers.ts";
import { exchange, NoAnswer, type Place, type Sending } from "./wire.ts";

/** A value for one line, several for one line each; `undefined` leaves out what would be sent. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Asking {
  readonly path: string;
  readonly method?: string;
  readonly version?: "1.0" | "1.1";
  readonly headers?: Headers;
  /** Sent url-encoded, as a browser's form. */
  readonly form?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The value of the `session` cookie. */
  readonly session?: string | undefined;
  readonly from?: string | undefined;
  readonly withinMs?: number;
}

/** One request over a connection of its own. Redirects are not followed. */
export async function ask(place: Place, asking: Asking, signal?: AbortSignal): Promise<Answer> {
  const { from, withinMs } = asking;
  const method = methodOf(asking);
  const sending: Sending = {
    methods: [method],
    signal,
    from,
    ...(withinMs === undefined ? {} : { withinMs }),
  };
  const { bytes, ended } = await exchange(place, requestOf(place, asking), sending);
  const { answers } = readAnswers(bytes, [method], ended === "too-late" ? "open" : "closed");
  const [answer] = answers;
  if (answer !== undefined) return answer;
  throw new NoAnswer(
    ended === "too-late" ? "no answer in time" : "the connection ended without an answer",
  );
}

export const hostOf = ({ protocol, host, port }: Place): string => {
  const name = host.includes(":") ? `[${host}]` : host;
  return port === (protocol === "https:" ? 443 : 80) ? name : `${name}:${port}`;
};

const methodOf = ({ method, form, body }: Asking): string =>
  method ?? (form === undefined && body === undefined ? "GET" : "POST");

/** The bytes of a request, with nothing checked: what is to be sent may be wrong on purpose. */
export function requestOf(place: Place, asking: Asking): Buffer {
  const { path, version = "1.1", form, session } = asking;
  const body = Buffer.from(
    asking.body ?? (form === undefined ? "" : new URLSearchParams(form).toString()),
  );
  const hasBody = form !== undefined || asking.body !== undefined;
  const headers: Headers = {
    Host: hostOf(place),
    Connection: "close",
    ...(hasBody
      ? {
          "Content-Type": "application/x-www-form-urlencoded",
          "Content-Length": String(body.length),
        }
      : {}),
    ...(session === undefined ? {} : { Cookie: `session=${session}` }),
    ...asking.headers,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => `${name}: ${one}\r\n`),
  );
  const head = `${methodOf(asking)} ${path} HTTP/${version}\r\n${lines.join("")}\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), body]);
}
