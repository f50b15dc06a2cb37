import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { andThen, type MaybePromise } from "../lib/maybe-promise.ts";
import type { ServerLog } from "../lib/server-log.ts";
import { getPeer } from "./remote-address.ts";
import { type Answer, withHeader } from "./responses.ts";
import type { WebRequest } from "./web-request.ts";

export const REQUEST_ID = "X-Request-Id";

/** Manages the IDs by which responses and the server log refer to a request. */
export interface RequestIds {
  /**
   * Runs `work` with the request's ID. The ID is new unless an outer `run` has chosen it. All lines
   * that `work` writes to `log` have this ID.
   */
  run<T>(source: WebRequest, work: (id: string) => T): T;
  /** Adds `requestId` to the lines about a request. */
  readonly log: ServerLog;
}

export function createRequestIds(isTrusted: (peer: string) => boolean, log: ServerLog): RequestIds {
  const current = new AsyncLocalStorage<{ readonly request: object; readonly id: string }>();

  function chooseId(source: WebRequest): string {
    const context = current.getStore();
    if (context?.request === source.request) return context.id;
    // The header counts only if a trusted proxy sent it.
    const givenId = source.header("x-request-id");
    const peer = givenId === undefined ? undefined : getPeer(source);
    const isGiven = givenId !== undefined && peer !== undefined && isTrusted(peer);
    return isGiven && isRequestId(givenId) ? givenId : randomUUID();
  }

  function addRequestId(fields: object): object {
    const context = current.getStore();
    return context === undefined ? fields : { ...fields, requestId: context.id };
  }

  return {
    run(source, work) {
      const id = chooseId(source);
      return current.run({ request: source.request, id }, () => work(id));
    },
    log: {
      warn: (fields, message) => log.warn(addRequestId(fields), message),
      error: (fields, message) => log.error(addRequestId(fields), message),
    },
  };
}

/** Runs `work` with the request's ID, and adds the ID to the response. */
export const answerWithId = (
  requests: RequestIds,
  request: WebRequest,
  work: () => MaybePromise<Answer>,
): MaybePromise<Answer> =>
  requests.run(request, (id) => andThen(work(), (answer) => withHeader(answer, REQUEST_ID, id)));

/** Accepts only short and plain IDs, so that any log and any header can contain them unchanged. */
const isRequestId = (text: string): boolean => /^[A-Za-z0-9._-]{1,128}$/.test(text);
