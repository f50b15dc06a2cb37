import { andThen, type MaybePromise } from "../core/base/maybe-promise.ts";
import { type Answer, withHeader } from "./answers/responses.ts";
import { REQUEST_ID, type RequestIds } from "./request/request-id.ts";
import type { WebRequest } from "./request/web-request.ts";

/** Answers requests for a path. */
export type Endpoint = (request: WebRequest) => MaybePromise<Answer>;

/** Adds the request's ID to the answer and to lines in the server log. */
export const withRequestId =
  ({ requests }: { readonly requests: RequestIds }, endpoint: Endpoint): Endpoint =>
  (request) =>
    requests.run(request, (id) =>
      andThen(endpoint(request), (answer) => withHeader(answer, REQUEST_ID, id)),
    );
