import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type Answer,
  type Auth,
  andThen,
  Fault,
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

/** Runs a guard on a Node request and passes the result to `act`, on the hot path without a promise. */
export const runGuard = (
  check: GuardCheck,
  request: IncomingMessage,
  act: (result: GuardResult) => unknown,
): unknown =>
  andThen(
    check(request.headers.cookie, () => nodeRequest(request), request.headers.authorization),
    act,
  );

/** For frameworks that go on when a guard calls `next`. Remembers whom the guards admitted. */
export class NextGuards<Reply> {
  // Not in the framework's own places, whose types an app can declare.
  readonly #admitted = new WeakMap<IncomingMessage, User>();
  readonly #refuse: (answer: Answer, reply: Reply) => void;

  constructor(refuse: (answer: Answer, reply: Reply) => void) {
    this.#refuse = refuse;
  }

  run(check: GuardCheck, request: IncomingMessage, reply: Reply, next: Next): void {
    const done = runGuard(check, request, (result) => {
      if (result.kind === "refused") return this.#refuse(result.answer, reply);
      this.#admitted.set(request, result.user);
      next();
    });
    if (done instanceof Promise) done.catch(next);
  }

  userOf(request: IncomingMessage): User {
    const user = this.#admitted.get(request);
    if (user === undefined) throw new Fault("not_guarded", "this route is not behind a guard");
    return user;
  }
}

type Next = (error?: Error) => void;
