import { constants, type Http2ServerRequest, type Http2Session } from "node:http2";
import type { Handler } from "../create-handler.ts";
import { sendTextResponse } from "../refusals.ts";

/** Equals Node's limit for HTTP/1.1, where Node itself responds with 431. */
export const MAX_HEADER_LIST_BYTES: number = 16 * 1024;

/** Limits the streams that wait for their response, or until its end is sent. */
const LIMITS = {
  /** Each connection may always have this number of streams. */
  share: 16,
  /** If all connections together have more streams, a connection gets only its share. */
  total: 2_000,
};

/**
 * Limits what HTTP/2 connections can make the gate keep. With flow control, a client can withhold
 * every response at a cost of a few bytes. A refused stream can be sent again (RFC 9113, section
 * 8.7).
 */
export function limitStreams(handle: Handler, { share, total }: typeof LIMITS = LIMITS): Handler {
  const openBySession = new WeakMap<Http2Session, number>();
  let open = 0;
  const add = (session: Http2Session, change: 1 | -1): void => {
    open += change;
    openBySession.set(session, (openBySession.get(session) ?? 0) + change);
  };
  return (incoming, outgoing) => {
    if (!("stream" in incoming && "stream" in outgoing)) return handle(incoming, outgoing);
    if (countHeaderBytes(incoming) > MAX_HEADER_LIST_BYTES)
      return sendTextResponse(outgoing, 431, {});
    const { stream } = outgoing;
    const { session } = stream;
    if (session === undefined) return;
    if (open >= total && (openBySession.get(session) ?? 0) >= share) {
      return stream.close(constants.NGHTTP2_REFUSED_STREAM);
    }
    add(session, 1);
    stream.once("close", () => add(session, -1));
    handle(incoming, outgoing);
  };
}

/**
 * Counts as RFC 9113 does, with 32 extra bytes for each header. Node enforces the limit only once
 * the client has acknowledged it, and one byte can repeat a header from the compression table.
 */
const countHeaderBytes = ({ rawHeaders }: Http2ServerRequest): number =>
  rawHeaders.reduce((bytes, nameOrValue) => bytes + nameOrValue.length + 16, 0);
