import { errorOf, Fault } from "../core/base/fault.ts";
import { andThen, type MaybePromise } from "../core/base/maybe-promise.ts";
import { required, settle } from "../core/base/options.ts";
import type { KeyAdmission } from "../core/keys/key-guard.ts";
import { admitsUser, type Lists, NO_LISTS } from "../core/sessions/admits-user.ts";
import type { Admission } from "../core/sessions/require-user.ts";
import type { User } from "../db/records.ts";
import { GROUP } from "../db/tables.ts";
import { answerRefused, excludedCall } from "./answer-refused.ts";
import type { Answer } from "./answers/responses.ts";
import { answerKeyRefused, type RequestGuard } from "./key-guard.ts";
import type { WebOptions } from "./options.ts";
import type { Paths } from "./paths.ts";
import { noteRefusal, type RefusalPorts } from "./request/warnings.ts";
import { parameterOf, type WebRequest } from "./request/web-request.ts";
import type { Views } from "./views.ts";

/** The outcome of a guard: the signed-in user, or the answer to send instead. */
export type GuardResult =
  | { readonly kind: "admitted"; readonly user: User }
  | { readonly kind: "refused"; readonly answer: Answer };

/**
 * A guard for any framework. It fails closed: it never throws, whatever fails it refuses, and it
 * rejects with an `Error` at most. On the hot path it returns without a promise and without calling
 * `request`, which only refusals need. Without the Authorization header it admits no key.
 */
export type GuardCheck = (
  cookies: string | undefined,
  request: () => WebRequest,
  authorization?: string,
) => MaybePromise<GuardResult>;

/** Whom a guard admits. */
export interface OnlyGroups {
  /** Members of any of these groups, guests among them. */
  readonly groups: readonly string[];
}

/** A guard that admits every user except guests. */
export interface UserGuard extends GuardCheck {
  /**
   * The same guard for members of groups; other users get 403.
   *
   * @throws {Fault} `invalid_option` for names that no group can have, and without any.
   */
  only(given: OnlyGroups): GuardCheck;
}

interface GuardPorts extends RefusalPorts {
  readonly options: WebOptions;
  readonly paths: Paths;
  readonly views: Pick<Views, "fault" | "excluded">;
}

/** The query parameter of a sign-in that needs a second factor, and of forward auth that asks it. */
export const FACTOR = "factor";

export const ASKING_FACTOR: string = `?${FACTOR}=2`;

/** Whether only a sign-in with a second factor leads on from this page. */
export const asksForFactor = (request: WebRequest): boolean => parameterOf(request, FACTOR) === "2";

/** Without a session, or with one that lacks a second factor. */
export type NotAdmitted = Exclude<Admission, { readonly user: User }>;

/** The path to which a refused request is redirected. A forged session token is logged. */
export function signInPath(
  ports: RefusalPorts & Pick<GuardPorts, "paths">,
  admission: NotAdmitted,
  request: WebRequest,
): string {
  const { setup, login, home } = ports.paths;
  switch (admission.kind) {
    case "needs-setup":
      return setup;
    case "factor-missing":
      return home ?? login;
    case "factor-unproven":
      return login + ASKING_FACTOR;
    case "needs-sign-in":
    case "bound":
    case "forged-token":
      noteForged(ports, admission, request);
      return login;
  }
}

export function noteForged(ports: RefusalPorts, { kind }: NotAdmitted, request: WebRequest): void {
  if (kind === "forged-token") noteRefusal(ports, request, "forged session token refused");
}

export const createUserGuard = (guard: RequestGuard, ports: GuardPorts): UserGuard =>
  Object.assign(createGuardCheck(guard, ports, NO_LISTS), {
    only: (given: OnlyGroups) => createGuardCheck(guard, ports, listsOf(given)),
  });

const GROUPS_TAKEN = 'groups such as { groups: ["family"] }';

const isGroup = (name: unknown): boolean => typeof name === "string" && GROUP.test(name);

const onlyOptions = {
  groups: required(
    GROUPS_TAKEN,
    (names: readonly string[]) => Array.isArray(names) && names.length > 0 && names.every(isGroup),
  ),
};

/**
 * Plain JavaScript can pass anything. A guard for no group would be a mistake, and a misspelt or
 * missing list must not admit every user.
 */
const listsOf = (given: OnlyGroups): Lists => ({
  users: [],
  groups: [settle<OnlyGroups>(onlyOptions, given, `a guard takes ${GROUPS_TAKEN}`).groups],
});

function createGuardCheck(guard: RequestGuard, ports: GuardPorts, lists: Lists): GuardCheck {
  const refused = (answer: Answer): GuardResult => ({ kind: "refused", answer });
  const decided = (user: User, request: () => WebRequest): MaybePromise<GuardResult> => {
    if (admitsUser(lists, user)) return { kind: "admitted", user };
    const asking = Object.assign(request(), { user });
    const answer = excludedCall(ports.options, asking) ?? ports.views.excluded(asking);
    return andThen(answer, refused);
  };
  const resultOf = (
    admission: Admission | KeyAdmission,
    requestOf: () => WebRequest,
  ): MaybePromise<GuardResult> => {
    switch (admission.kind) {
      case "admitted":
        // As it is, which makes no object: this is on the hot path.
        return lists === NO_LISTS ? admission : decided(admission.user, requestOf);
      case "key-admitted":
      case "guest":
        return decided(admission.user, requestOf);
      case "key-refused":
        return refused(answerKeyRefused(ports, requestOf(), admission));
      default: {
        const request = requestOf();
        const path = signInPath(ports, admission, request);
        if (isOwn(ports.paths, request.path)) throw notMounted(request.path);
        return refused(answerRefused(ports.options, path, request));
      }
    }
  };
  const failed = async (thrown: unknown, request: () => WebRequest): Promise<GuardResult> => {
    try {
      return refused(await ports.views.fault(request(), thrown));
    } catch (again) {
      throw errorOf(again);
    }
  };
  const later = (
    admitting: Promise<Admission | KeyAdmission>,
    request: () => WebRequest,
  ): Promise<GuardResult> =>
    admitting
      .then((admission) => resultOf(admission, request))
      .catch((thrown) => failed(thrown, request));
  // Makes no closure, which would cost as much as the rest of the hot path.
  return (cookies, request, authorization) => {
    try {
      const admission = guard(cookies, authorization, request);
      return admission instanceof Promise
        ? later(admission, request)
        : resultOf(admission, request);
    } catch (thrown) {
      return failed(thrown, request);
    }
  };
}

const isOwn = ({ login, setup }: Paths, path: string): boolean => path === login || path === setup;

/** Without it, the browser would follow redirects from the sign-in to the sign-in. */
const notMounted = (path: string): Fault =>
  new Fault(
    "routes_not_mounted",
    `a guard was called for ${path}, which Latchkey's routes answer: mount the routes before the guard`,
  );
