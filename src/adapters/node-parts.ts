import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { type Auth, andThen, type GuardCheck, type GuardResult, type Visit } from "../index.ts";
import { markOfIncoming } from "../web/request/visit.ts";

/** What the adapters for Node's own requests and responses share. */
export interface NodeParts {
  /** Answers a request for one of Latchkey's paths. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
  owns(url: string | undefined): boolean;
}

export function nodeParts({ routes, door }: Auth): NodeParts {
  return {
    answer: getRequestListener(routes.fetch, { overrideGlobalObjects: false }),
    owns: (url = "/") => door.owns(pathIn(url)),
  };
}

/** The path as the client wrote it, up to the query. */
function pathIn(url: string): string {
  const query = url.indexOf("?");
  return query === -1 ? url : url.slice(0, query);
}

/** Routers may take a part off the URL while they run; `asked` is the one that the client sent. */
export function visitIn(request: IncomingMessage, asked: string = request.url ?? "/"): Visit {
  const { method = "GET", headers } = request;
  const path = pathIn(asked);
  const query = new URLSearchParams(asked.slice(path.length));
  return {
    method,
    path,
    cookies: headers.cookie,
    languages: headers["accept-language"],
    error: query.get("error") ?? undefined,
    mark: markOfIncoming(request),
  };
}

/**
 * Runs a guard on a Node request and passes its result to `act`. On the hot path it makes no
 * promise.
 *
 * @param failed is called when the guard or `act` is rejected. Without it, the caller gets the
 *   rejection.
 */
export function runGuard(
  check: GuardCheck,
  request: IncomingMessage,
  act: (result: GuardResult) => unknown,
  failed?: (error: Error) => void,
  url?: string,
): unknown {
  const done = andThen(
    check(request.headers.cookie, () => visitIn(request, url)),
    act,
  );
  return failed !== undefined && done instanceof Promise ? done.catch(failed) : done;
}

/** Sends the response of a guard. */
export async function sendResponse(from: Response, to: ServerResponse): Promise<void> {
  to.writeHead(from.status, Object.fromEntries(from.headers));
  to.end(await from.text());
}
