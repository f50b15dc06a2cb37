import type { CurrentUser } from "./current-user.ts";
import { andThen, type MaybePromise } from "./maybe-promise.ts";
import type { User } from "./store.ts";
import type { UserMemory } from "./user-memory.ts";

export type Admission =
  | { readonly kind: "needs-setup" }
  | { readonly kind: "needs-sign-in" }
  | { readonly kind: "admitted"; readonly user: User };

/** Decides over a session token, without a promise where possible, as it is on the hot path. */
export type Guard = (token: string | undefined) => MaybePromise<Admission>;

const NEEDS_SETUP: Admission = { kind: "needs-setup" };
const NEEDS_SIGN_IN: Admission = { kind: "needs-sign-in" };

/** The guard for single operations, which also redirects to the setup while no account exists. */
export function createRequireAuth(users: UserMemory, currentUser: CurrentUser): Guard {
  const requireUser = createRequireUser(currentUser);
  return (token) => {
    const configured = users.anyExists();
    if (configured === true) return requireUser(token);
    // In parallel, so that a guard takes one round trip to the store.
    return Promise.all([configured, requireUser(token)]).then(([yes, admission]) =>
      yes ? admission : NEEDS_SETUP,
    );
  };
}

/** The guard for whole handlers, which does not check whether an account exists. */
export function createRequireUser(currentUser: CurrentUser): Guard {
  const admit = (user: User | undefined): Admission =>
    user === undefined ? NEEDS_SIGN_IN : { kind: "admitted", user };
  return (token) => andThen(currentUser(token), admit);
}
