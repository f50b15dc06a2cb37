import type { User } from "../db/records.ts";
import { GROUP } from "../db/tables.ts";
import { admitsUser, type Lists, NO_LISTS } from "../identity/admits-user.ts";
import type { KeyAdmission } from "../identity/authenticate-key.ts";
import { type Admission, isAdmitted, type NotAdmitted } from "../identity/authenticate-session.ts";
import { Fault, toError } from "../lib/fault.ts";
import { andThen, type MaybePromise } from "../lib/maybe-promise.ts";
import { checkOptions, defineRequired } from "../lib/options.ts";
import type { AuthenticateRequest } from "./authenticate.ts";
import type { Paths } from "./paths.ts";
import {
  findSignInPath,
  type RefusalServices,
  refuseExcluded,
  refuseKey,
  refuseSignedOut,
} from "./refusals.ts";
import type { Answer } from "./responses.ts";
import type { WebRequest } from "./web-request.ts";

/** Contains the outcome of a guard: the signed-in user, or the response to send instead. */
export type GuardResult =
  | { readonly kind: "admitted"; readonly user: User }
  | { readonly kind: "refused"; readonly answer: Answer };

/**
 * Guards requests in any framework. It fails closed: it never throws, refuses on any failure, and
 * rejects only with an `Error`. On the hot path, it returns no promise and does not call `request`.
 * Without the Authorization header, it admits no API key.
 */
export type GuardCheck = (
  cookies: string | undefined,
  request: () => WebRequest,
  authorization?: string,
) => MaybePromise<GuardResult>;

/** Lists the groups that a guard admits. */
export interface OnlyGroups {
  /** Members of any of these groups are admitted, including guests. */
  readonly groups: readonly string[];
}

/** Admits every user except guests. */
export interface UserGuard extends GuardCheck {
  /**
   * Returns the same guard for members of groups. Other users get 403.
   *
   * @throws {Fault} `invalid_option` for an empty list, and for names that no group can have.
   */
  only(given: OnlyGroups): GuardCheck;
}

/** Creates a guard for the frameworks of apps. */
export const createUserGuard = (
  authenticate: AuthenticateRequest,
  services: RefusalServices,
): UserGuard =>
  Object.assign(createGuardCheck(authenticate, services, NO_LISTS), {
    only: (given: OnlyGroups) => createGuardCheck(authenticate, services, parseGroups(given)),
  });

const GROUPS_TAKEN = 'groups such as { groups: ["family"] }';

const isGroup = (name: unknown): boolean => typeof name === "string" && GROUP.test(name);

const onlyOptions = {
  groups: defineRequired(
    GROUPS_TAKEN,
    (names: readonly string[]) => Array.isArray(names) && names.length > 0 && names.every(isGroup),
  ),
};

/**
 * Checks the groups, because plain JavaScript can pass anything. A guard for no group would be a
 * mistake, and a misspelt or missing list must not admit every user.
 */
const parseGroups = (given: OnlyGroups): Lists => ({
  users: [],
  groups: [checkOptions<OnlyGroups>(onlyOptions, given, `a guard takes ${GROUPS_TAKEN}`).groups],
});

function createGuardCheck(
  authenticate: AuthenticateRequest,
  services: RefusalServices,
  lists: Lists,
): GuardCheck {
  const refuse = (answer: Answer): GuardResult => ({ kind: "refused", answer });

  const decide = (
    admission: Admission | KeyAdmission,
    getRequest: () => WebRequest,
  ): MaybePromise<GuardResult> => {
    // The admission is returned unchanged, because a new object would slow down the hot path.
    if (admission.kind === "admitted" && lists === NO_LISTS) return admission;
    if (admission.kind === "key-refused")
      return refuse(refuseKey(services, getRequest(), admission));
    return admission.kind === "key-admitted" || isAdmitted(admission)
      ? decideByLists(admission.user, getRequest)
      : refuse(refuseAppRequest(services, admission, getRequest()));
  };

  const decideByLists = (user: User, getRequest: () => WebRequest): MaybePromise<GuardResult> =>
    admitsUser(lists, user)
      ? { kind: "admitted", user }
      : andThen(refuseExcluded(services, getRequest(), user), refuse);

  const fail = async (thrown: unknown, getRequest: () => WebRequest): Promise<GuardResult> => {
    try {
      return refuse(await services.views.fault({ request: getRequest() }, thrown));
    } catch (again) {
      throw toError(again);
    }
  };

  const decideLater = (
    admission: Promise<Admission | KeyAdmission>,
    getRequest: () => WebRequest,
  ): Promise<GuardResult> =>
    admission
      .then((arrived) => decide(arrived, getRequest))
      .catch((thrown) => fail(thrown, getRequest));

  // This function creates no closure, because a closure would cost as much as the rest of the hot
  // path.
  return (cookies, getRequest, authorization) => {
    try {
      const admission = authenticate(cookies, authorization, getRequest);
      return admission instanceof Promise
        ? decideLater(admission, getRequest)
        : decide(admission, getRequest);
    } catch (thrown) {
      return fail(thrown, getRequest);
    }
  };
}

/**
 * Answers a request to the app whose user is not signed in.
 *
 * @throws {Fault} `routes_not_mounted` for a request that Latchkey's own routes should serve.
 */
function refuseAppRequest(
  services: RefusalServices,
  admission: NotAdmitted,
  request: WebRequest,
): Answer {
  const path = findSignInPath(services, admission, request);
  if (isOwnPath(services.paths, request.path)) throw notMounted(request.path);
  return refuseSignedOut(services.options, path, request);
}

const isOwnPath = ({ login, setup }: Paths, path: string): boolean =>
  path === login || path === setup;

/**
 * Without this error, the browser would follow redirects from the sign-in page to itself forever.
 */
const notMounted = (path: string): Fault =>
  new Fault(
    "routes_not_mounted",
    `a guard was called for ${path}, which Latchkey's routes answer: mount the routes before the guard`,
  );
