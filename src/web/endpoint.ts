import type { MaybePromise } from "../core/base/maybe-promise.ts";
import type { Answer } from "./answers/responses.ts";
import type { WebRequest } from "./request/web-request.ts";

/** Answers requests for a path. */
export type Endpoint = (request: WebRequest) => MaybePromise<Answer>;
