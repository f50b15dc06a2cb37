import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { ServerLog } from "../../core/server-log.ts";

/** What the ID of a request is found by. */
export interface RequestMark {
  /** The request, or what stands for it: whoever asks about the same one hears the same ID. */
  readonly request: object;
  /** The address at the other end of the connection, where that is known. */
  readonly peer: string | undefined;
  /** The header `X-Request-Id`. */
  readonly given: string | undefined;
}

export const REQUEST_ID = "X-Request-Id";

/** IDs under which people and logs speak of a request. One is made only where somebody asks. */
export interface RequestIds {
  /** The one that a trusted proxy has given, where it is one; otherwise a new one. */
  of(mark: RequestMark): string;
  /** The header for the answer, where the request was spoken of; otherwise none. */
  headers(mark: RequestMark): Readonly<Record<string, string>>;
  /** Keeps the ID out of the answer: the server log alone has it. */
  hush(mark: RequestMark): void;
  /** All that `work` has to say to `log` is about this request. */
  during<T>(mark: RequestMark, work: () => T): T;
  /** Where lines that are about a request get its ID. */
  readonly log: ServerLog;
}

export function createRequestIds(isTrusted: (peer: string) => boolean, log: ServerLog): RequestIds {
  const ids = new WeakMap<object, string>();
  const hushed = new WeakSet<object>();
  const current = new AsyncLocalStorage<RequestMark>();

  function of({ request, peer, given }: RequestMark): string {
    const known = ids.get(request);
    if (known !== undefined) return known;
    const believed = given !== undefined && peer !== undefined && isTrusted(peer);
    const id = believed && isRequestId(given) ? given : randomUUID();
    ids.set(request, id);
    return id;
  }

  function told(fields: object): object {
    const mark = current.getStore();
    return mark === undefined ? fields : { ...fields, requestId: of(mark) };
  }

  return {
    of,
    headers({ request }): Readonly<Record<string, string>> {
      const id = ids.get(request);
      return id === undefined || hushed.has(request) ? {} : { [REQUEST_ID]: id };
    },
    hush: ({ request }) => void hushed.add(request),
    during: (mark, work) => current.run(mark, work),
    log: {
      warn: (fields, message) => log.warn(told(fields), message),
      error: (fields, message) => log.error(told(fields), message),
    },
  };
}

/** Short and plain, so that it can stand in any log and in any header as it is. */
const isRequestId = (text: string): boolean => /^[A-Za-z0-9._-]{1,128}$/.test(text);
