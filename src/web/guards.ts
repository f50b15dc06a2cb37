import type { Context, MiddlewareHandler } from "hono";
import type { Admission, Guard } from "../core/require-user.ts";
import type { User } from "../core/store.ts";
import type { Responses } from "./responses.ts";
import { sessionTokenIn } from "./session-cookie.ts";
import type { Views } from "./views.ts";

/** Behind a guard, `c.var.user` is the signed-in user. */
export type SignedIn = { Variables: { user: User } };

export type GuardMiddleware = MiddlewareHandler<SignedIn>;

/** Turns a guard's decision into a response, or lets the request through. Never opens on a fault. */
export function createGuardMiddleware(
  guard: Guard,
  responses: Responses,
  views: Views,
): GuardMiddleware {
  const act = (
    c: Context<SignedIn>,
    next: () => Promise<void>,
    admission: Admission,
  ): ReturnType<GuardMiddleware> => {
    switch (admission.kind) {
      case "needs-setup":
        return Promise.resolve(responses.redirect("/setup"));
      case "needs-sign-in":
        return Promise.resolve(responses.redirect("/login"));
      case "admitted":
        c.set("user", admission.user);
        return next();
    }
  };

  return (c, next) => {
    const admission = guard(sessionTokenIn(c.req.header("cookie")));
    if (!(admission instanceof Promise)) return act(c, next, admission);
    // Only the guard's own faults are its business; those of what it protects go their own way.
    return admission.then(
      (decided) => act(c, next, decided),
      (fault) => views.fault(c, fault),
    );
  };
}
