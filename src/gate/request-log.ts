import { REQUEST_ID, type RequestMark } from "../web/request/request-id.ts";
import { markOfIncoming } from "../web/request/visit.ts";
import { type Handle, wasSent } from "./listener.ts";
import type { GateLog } from "./server-log.ts";

/** The same with a line for each request: not its query, which may hold a token, nor its sender. */
export function loggingRequests(
  handle: Handle,
  requestId: (mark: RequestMark) => string,
  milliseconds: () => number,
  log: GateLog,
): Handle {
  return (incoming, outgoing) => {
    const start = milliseconds();
    const id = requestId(markOfIncoming(incoming));
    outgoing.setHeader(REQUEST_ID, id);
    outgoing.once("close", () => {
      const { method, url = "" } = incoming;
      const [path] = url.split("?", 1);
      const ms = Math.round((milliseconds() - start) * 10) / 10;
      const words = wasSent(outgoing) ? "request" : "request aborted";
      log.debug({ method, path, status: outgoing.statusCode, ms, requestId: id }, words);
    });
    handle(incoming, outgoing);
  };
}
