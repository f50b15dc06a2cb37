import { type ClientHttp2Session, connect, constants } from "node:http2";
import { type Caller, type Heard, type Request, type Spoken, spokenOf } from "./caller.ts";
import type { Sent } from "./judge/requests.ts";

/** The other side has not begun with it: it may be sent again. */
const REFUSED_STREAM = constants.NGHTTP2_REFUSED_STREAM;

/** Many requests at once over the one connection that it has; none once that is being closed. */
export interface H2Caller extends Caller {
  readonly isOpen: boolean;
}

export function h2CallerTo(url: string, name: string, ca: string): H2Caller {
  const session = connect(url, { ca, servername: name });
  session.on("error", () => {});
  return {
    get isOpen() {
      return !session.closed && !session.destroyed;
    },
    ask: (asked) => ask(session, name, asked),
    close: () => session.destroy(),
  };
}

function ask(session: ClientHttp2Session, name: string, asked: Request): Promise<Spoken> {
  const { form } = asked;
  const sentAt = performance.now();
  const body = form && new URLSearchParams(form).toString();
  const { promise, resolve } = Promise.withResolvers<Spoken>();
  const told = (fate: Sent["fate"], heard?: Heard): void =>
    resolve(spokenOf(asked, sentAt, fate, heard));
  let status = 0;
  let location: string | undefined;
  let text = "";
  let whole = false;
  try {
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: body === undefined ? "GET" : "POST",
      [constants.HTTP2_HEADER_PATH]: asked.path,
      [constants.HTTP2_HEADER_AUTHORITY]: name,
      ...(asked.session === undefined ? {} : { cookie: `session=${asked.session}` }),
      ...(body === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
      ...asked.headers,
    });
    stream.setEncoding("utf8");
    stream.on("response", (headers) => {
      status = Number(headers[constants.HTTP2_HEADER_STATUS]);
      location = headers.location;
    });
    stream.on("data", (chunk: string) => {
      text += chunk;
    });
    stream.on("end", () => {
      whole = true;
    });
    stream.on("error", () => {});
    stream.on("close", () => {
      if (status === 0) told(stream.rstCode === REFUSED_STREAM ? "refused" : "reset");
      else if (!whole || stream.rstCode !== 0) told("cut");
      else
        told("answered", {
          status,
          location,
          retryAfter: undefined,
          session: undefined,
          body: text,
        });
    });
    stream.end(body);
  } catch {
    told("refused");
  }
  return promise;
}
