import type { MaybePromise } from "../core/maybe-promise.ts";
import type { WebRequest } from "./request/web-request.ts";
import type { Answer } from "./responses.ts";

/** Answers requests for a path. */
export type Endpoint = (request: WebRequest) => MaybePromise<Answer>;
