import type { MaybePromise } from "../core/maybe-promise.ts";
import type { Admission, Guard } from "../core/require-user.ts";
import type { User } from "../core/store.ts";
import type { Paths } from "./paths.ts";
import type { Visit } from "./request/visit.ts";
import type { Responses } from "./responses.ts";
import { sessionTokenIn } from "./session-cookie.ts";
import type { Views } from "./views.ts";

/** What a guard says: come in, or the response to send instead. */
export type Entry =
  | { readonly kind: "admitted"; readonly user: User }
  | { readonly kind: "refused"; readonly response: Response };

/**
 * A guard for any framework. On the hot path it answers without a promise, and does not ask for
 * the visit, which only the error page needs. It never opens on a fault.
 */
export type Entrance = (cookies: string | undefined, visit: () => Visit) => MaybePromise<Entry>;

export function createEntrance(
  guard: Guard,
  paths: Paths,
  responses: Responses,
  views: Views,
): Entrance {
  const act = (admission: Admission): Entry => {
    switch (admission.kind) {
      case "needs-setup":
        return { kind: "refused", response: responses.redirect(paths.setup) };
      case "needs-sign-in":
        return { kind: "refused", response: responses.redirect(paths.login) };
      case "admitted":
        return admission;
    }
  };

  return (cookies, visit) => {
    const admission = guard(sessionTokenIn(cookies));
    if (!(admission instanceof Promise)) return act(admission);
    return admission.then(act, async (fault) => ({
      kind: "refused",
      response: await views.fault(visit(), fault),
    }));
  };
}
