import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { AdapterParts } from "../auth.ts";
import { nodeRequest } from "../http/node-request.ts";
import type { Answer } from "../http/responses.ts";
import { sendAnswer } from "../http/send-answer.ts";

export type Handler = (
  incoming: IncomingMessage | Http2ServerRequest,
  outgoing: ServerResponse | Http2ServerResponse,
) => void;

/** Returns whether the whole response was sent. The result is valid once the response is closed. */
export const wasSent = (outgoing: ServerResponse | Http2ServerResponse): boolean =>
  "stream" in outgoing ? outgoing.stream.rstCode === 0 : outgoing.writableFinished;

/**
 * Returns a handler. If it cannot write a response, it closes the connection and the process
 * continues.
 */
export function createHandler(endpoint: AdapterParts["answer"]): Handler {
  return (incoming, outgoing) => {
    const send = (response: Answer): void => {
      try {
        sendAnswer(response, outgoing);
      } catch {
        outgoing.destroy();
      }
    };
    const response = endpoint(nodeRequest(incoming, outgoing));
    if (response instanceof Promise) response.then(send).catch(() => outgoing.destroy());
    else send(response);
  };
}
