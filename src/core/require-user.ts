import type { CurrentUser } from "./current-user.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import type { User } from "./store.ts";
import type { UserMemory } from "./user-memory.ts";

export type Admission =
  | { readonly kind: "needs-setup" }
  | { readonly kind: "needs-sign-in" }
  | { readonly kind: "admitted"; readonly user: User };

/** Decides over a session token. Like everything on the hot path, without a promise if it can. */
export type Guard = (token: string | undefined) => MaybePromise<Admission>;

const NEEDS_SETUP: Admission = { kind: "needs-setup" };
const NEEDS_SIGN_IN: Admission = { kind: "needs-sign-in" };

/** The guard for single operations: an unconfigured service leads to its setup. */
export function createRequireAuth(users: UserMemory, currentUser: CurrentUser): Guard {
  const requireUser = createRequireUser(currentUser);
  return (token) => {
    const configured = users.anyExists();
    if (configured === true) return requireUser(token);
    // Both are asked for at once: a guard takes one round trip to the store.
    return Promise.all([configured, requireUser(token)]).then(([yes, admission]) =>
      yes ? admission : NEEDS_SETUP,
    );
  };
}

/** The guard around whole handlers: it does not look at the number of users. */
export function createRequireUser(currentUser: CurrentUser): Guard {
  return (token) => {
    const user = currentUser(token);
    return user instanceof Promise ? user.then(admission) : admission(user);
  };
}

function admission(user: User | undefined): Admission {
  return user === undefined ? NEEDS_SIGN_IN : { kind: "admitted", user };
}
