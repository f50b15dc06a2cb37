import type { IncomingMessage, ServerResponse } from "node:http";
import { nodeRequest, type WebRequest } from "../../src/index.ts";

/** A request with only those properties of Node's request that a test is about. */
export const fakeNodeRequest = (
  request: { readonly socket: object; readonly headers: object } & Readonly<
    Record<string, unknown>
  >,
  response?: { readonly once: (event: "close", listener: () => void) => unknown },
): WebRequest =>
  nodeRequest(
    request as unknown as IncomingMessage,
    response as unknown as ServerResponse | undefined,
  );
