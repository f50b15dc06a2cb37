import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type AdapterParts,
  type Answer,
  type Auth,
  andThen,
  Fault,
  type GuardCheck,
  type GuardResult,
  nodeRequest,
  type OnlyGroups,
  type PageHelpers,
  sendAnswer,
  type User,
  type UserGuard,
} from "../index.ts";

/** Contains what every adapter provides, in the types of its framework. */
export interface AdapterAuth<Guard, Request> {
  /**
   * Admits signed-in users. Redirects others to the sign-in, or to the setup without an account.
   * With `{ groups: ["family"] }`, it admits only members of a group, including guests.
   */
  readonly requireAuth: Guard;
  /** Guards like `requireAuth`, but redirects to the sign-in even while there is no account. */
  readonly authMiddleware: Guard;
  /** Resolves to the signed-in user, or `undefined`. */
  currentUser(request: Request): Promise<User | undefined>;
  /** Resolves to `NeedsSetup`, `HasError` and `CurrentUser`, for an app's own templates. */
  pageHelpers(request: Request): Promise<PageHelpers>;
}

/** @throws {Fault} `invalid_option` for anything that `createAuth` has not returned. */
export function getAdapter(auth: Auth): AdapterParts {
  const { adapter }: Partial<Auth> = auth ?? {};
  if (adapter !== undefined) return adapter;
  throw new Fault("invalid_option", "an adapter takes what createAuth returns");
}

/**
 * Returns whether Latchkey responds to the request. It uses the client's URL, like `nodeRequest`.
 */
export const ownsRequest = (
  { adapter }: Auth,
  { originalUrl, url = "/" }: IncomingMessage & { readonly originalUrl?: string },
): boolean => adapter.owns(originalUrl ?? url);

/** Responds to a Node request for one of Latchkey's paths. Rejects only with an `Error`. */
export async function respondToNode(
  { adapter }: Auth,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  sendAnswer(await adapter.answer(nodeRequest(request, response)), response);
}

/** Runs a guard on a Node request and passes the result to `act`. The hot path uses no promise. */
export const runCheck = (
  check: GuardCheck,
  request: IncomingMessage,
  act: (result: GuardResult) => unknown,
): unknown =>
  andThen(
    check(request.headers.cookie, () => nodeRequest(request), request.headers.authorization),
    act,
  );

/**
 * Returns the check for a handler. Groups that are passed as `undefined` must not admit every user.
 *
 * @throws {Fault} `invalid_option` for invalid groups, and for a handler that is not a function.
 */
export function selectCheck(
  guard: UserGuard,
  handler: unknown,
  only: readonly [] | readonly [groups: OnlyGroups],
): GuardCheck {
  if (typeof handler !== "function")
    throw new Fault("invalid_option", "a guard takes a handler, and then groups if there are any");
  return only.length === 0 ? guard : guard.only(only[0]);
}

/** Guards a route. Called with groups, it returns a guard that admits only their members. */
export type MemberGuard<Guard> = ((only: OnlyGroups) => Guard) & Guard;

/**
 * Creates a guard that can also select groups. Frameworks call a guard with at least two arguments,
 * which distinguishes the two calls.
 */
export function createMemberGuard<Guard extends (...parameters: never[]) => unknown>(
  check: UserGuard,
  createGuard: (check: GuardCheck) => Guard,
): MemberGuard<Guard> {
  const guard: (...parameters: never[]) => unknown = createGuard(check);
  const callOrSelectGroups = (argument: never, reply?: never, next?: never): unknown =>
    reply === undefined ? createGuard(check.only(argument)) : guard(argument, reply, next as never);
  return callOrSelectGroups as MemberGuard<Guard>;
}

/** Contains what an adapter provides if its framework continues when a guard calls `next`. */
export interface NextAuth<Guard, Request, Handled = Request>
  extends AdapterAuth<MemberGuard<Guard>, Request> {
  /**
   * Returns the signed-in user behind a guard.
   *
   * @throws {Fault} `not_guarded` on a route without a guard.
   */
  user(handled: Handled): User;
}

type NextMiddleware<Request, Reply> = (request: Request, reply: Reply, next: NextFunction) => void;
type NextFunction = (error?: Error) => void;

/**
 * Creates the common part of adapters whose framework continues with `next`. `getNodeRequest`
 * returns Node's request for a request of the framework.
 */
export function nextAuth<Request, Reply>(
  auth: Auth,
  getNodeRequest: (request: Request) => IncomingMessage,
  refuse: (response: Answer, reply: Reply) => void,
): NextAuth<NextMiddleware<Request, Reply>, Request> {
  const adapter = getAdapter(auth);
  // The user is not stored in the framework's objects, because an app can declare their types.
  const admitted = new WeakMap<IncomingMessage, User>();
  const createGuard =
    (check: GuardCheck): NextMiddleware<Request, Reply> =>
    (frameworkRequest, reply, next) => {
      const request = getNodeRequest(frameworkRequest);
      const done = runCheck(check, request, (result) => {
        if (result.kind === "refused") return refuse(result.answer, reply);
        admitted.set(request, result.user);
        next();
      });
      if (done instanceof Promise) done.catch(next);
    };
  return {
    requireAuth: createMemberGuard(adapter.requireAuth, createGuard),
    authMiddleware: createMemberGuard(adapter.authMiddleware, createGuard),
    currentUser: (request) => adapter.currentUser(getNodeRequest(request).headers.cookie),
    pageHelpers: (request) => adapter.pageHelpers(nodeRequest(getNodeRequest(request))),
    user(request) {
      const user = admitted.get(getNodeRequest(request));
      if (user === undefined) throw new Fault("not_guarded", "this route is not behind a guard");
      return user;
    },
  };
}
