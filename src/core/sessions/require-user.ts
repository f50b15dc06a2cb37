import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import type { User } from "../records.ts";
import type { CurrentUser, SessionAdmission } from "./current-user.ts";
import type { UserMemory } from "./user-memory.ts";

export type Admission =
  | { readonly kind: "needs-setup" }
  | { readonly kind: "needs-sign-in" }
  | { readonly kind: "forged-token" }
  | SessionAdmission;

/** Decides over a session token, without a promise where possible, as it is on the hot path. */
export type Guard = (token: string | undefined) => MaybePromise<Admission>;

const NEEDS_SETUP: Admission = { kind: "needs-setup" };
const NEEDS_SIGN_IN: Admission = { kind: "needs-sign-in" };
const FORGED_TOKEN: Admission = { kind: "forged-token" };

/** The guard for single operations, which also redirects to the setup while no account exists. */
export function createRequireAuth(users: UserMemory, currentUser: CurrentUser): Guard {
  const requireUser = createRequireUser(currentUser);
  return (token) => {
    const configured = users.anyExists();
    if (configured === true) return requireUser(token);
    // In parallel, so that a guard takes one round trip to the store. A failure of either rejects.
    const admitting = (async () => requireUser(token))();
    return Promise.all([configured, admitting]).then(([yes, admission]) =>
      yes ? admission : NEEDS_SETUP,
    );
  };
}

const refusalOf = (reason: "forged" | undefined): Admission =>
  reason === "forged" ? FORGED_TOKEN : NEEDS_SIGN_IN;

/** The signed-in user, also a guest, whom a guard refuses. */
export const userOfAdmission = (admission: Admission): User | undefined =>
  admission.kind === "admitted" || admission.kind === "guest" ? admission.user : undefined;

/** The guard for whole handlers, which does not check whether an account exists. */
export function createRequireUser(currentUser: CurrentUser): Guard {
  // One comparison for an admitted user: this is on the hot path.
  return (token) =>
    andThen(currentUser(token), (found) => (typeof found === "object" ? found : refusalOf(found)));
}
