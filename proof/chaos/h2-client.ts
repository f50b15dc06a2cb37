import { type ClientHttp2Session, connect, constants } from "node:http2";
import {
  type Client,
  type ClientResponse,
  type Exchange,
  exchangeOf,
  type Request,
} from "./client.ts";
import type { Sent } from "./judge/requests.ts";

/** The server has not processed the request, so it may be sent again. */
const REFUSED_STREAM = constants.NGHTTP2_REFUSED_STREAM;

/** Sends many requests at once over one connection; none while it is being closed. */
export interface H2Client extends Client {
  readonly isOpen: boolean;
}

export function createH2Client(url: string, name: string, ca: string): H2Client {
  const session = connect(url, { ca, servername: name });
  session.on("error", () => {});
  return {
    get isOpen() {
      return !session.closed && !session.destroyed;
    },
    send: (request) => send(session, name, request),
    close: () => session.destroy(),
  };
}

function send(session: ClientHttp2Session, name: string, request: Request): Promise<Exchange> {
  const { form } = request;
  const sentAt = performance.now();
  const body = form && new URLSearchParams(form).toString();
  const { promise, resolve } = Promise.withResolvers<Exchange>();
  const settle = (fate: Sent["fate"], response?: ClientResponse): void =>
    resolve(exchangeOf(request, sentAt, fate, response));
  let status = 0;
  let location: string | undefined;
  let text = "";
  let complete = false;
  try {
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: body === undefined ? "GET" : "POST",
      [constants.HTTP2_HEADER_PATH]: request.path,
      [constants.HTTP2_HEADER_AUTHORITY]: name,
      ...(request.session === undefined ? {} : { cookie: `session=${request.session}` }),
      ...(body === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
      ...request.headers,
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
      complete = true;
    });
    stream.on("error", () => {});
    stream.on("close", () => {
      if (status === 0) settle(stream.rstCode === REFUSED_STREAM ? "refused" : "reset");
      else if (!complete || stream.rstCode !== 0) settle("cut");
      else
        settle("answered", {
          status,
          location,
          retryAfter: undefined,
          session: undefined,
          body: text,
        });
    });
    stream.end(body);
  } catch {
    settle("refused");
  }
  return promise;
}
