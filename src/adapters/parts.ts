import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type Auth,
  andThen,
  type GuardCheck,
  type GuardResult,
  nodeRequest,
  type PageHelpers,
  sendAnswer,
  type User,
} from "../index.ts";

/** What every adapter has, in the types of its framework. */
export interface AdapterAuth<Guard, Request> {
  /** Admits signed-in users, redirects others to the sign-in, or to the setup without an account. */
  readonly requireAuth: Guard;
  /** Like `requireAuth`, but redirects to the sign-in even while there is no account. */
  readonly authMiddleware: Guard;
  currentUser(request: Request): Promise<User | undefined>;
  pageHelpers(request: Request): Promise<PageHelpers>;
}

/** Answers a Node request for one of Latchkey's paths. Rejects with an `Error` only. */
export async function answerNode(
  { adapter }: Auth,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  sendAnswer(await adapter.answer(nodeRequest(request, response)), response);
}

/**
 * Runs a guard on a Node request and passes the result to `act`. On the hot path it makes no
 * promise.
 *
 * @param failed is called when the guard or `act` rejects. Without it, the caller gets the
 *   rejection.
 */
export function runGuard(
  check: GuardCheck,
  request: IncomingMessage,
  act: (result: GuardResult) => unknown,
  failed?: (error: Error) => void,
): unknown {
  const done = andThen(
    check(request.headers.cookie, () => nodeRequest(request)),
    act,
  );
  return failed !== undefined && done instanceof Promise ? done.catch(failed) : done;
}
