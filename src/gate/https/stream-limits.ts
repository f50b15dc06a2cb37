import { constants, type Http2ServerRequest, type Http2Session } from "node:http2";
import type { Handler } from "../handle.ts";
import { sendTextResponse } from "../refusals.ts";

/** Node's limit for HTTP/1.1, where it answers 431 itself. */
export const MAX_HEADER_LIST_BYTES: number = 16 * 1024;

/** How many streams may wait for their response, or for its end to be sent. */
const LIMITS = {
  /** On each connection, always. */
  share: 16,
  /** On all connections together: above it, a connection gets only its share. */
  total: 2_000,
};

/**
 * Limits what HTTP/2 connections can make the gate keep. Flow control lets a client withhold every
 * response, at a cost of a few bytes. A refused stream can be sent again (RFC 9113, section 8.7).
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
 * As RFC 9113 counts: 32 bytes more for each header. Node enforces the limit only once the client has
 * acknowledged it, and one byte can repeat a header from the compression table.
 */
const countHeaderBytes = ({ rawHeaders }: Http2ServerRequest): number =>
  rawHeaders.reduce((bytes, nameOrValue) => bytes + nameOrValue.length + 16, 0);
