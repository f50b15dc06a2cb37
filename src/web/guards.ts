import type { Context, MiddlewareHandler } from "hono";
import type { User } from "../core/store.ts";
import type { Entrance, Entry } from "./entry.ts";
import { visitOf } from "./request/visit.ts";

/** Behind a guard, `c.var.user` is the signed-in user. */
export type SignedIn = { Variables: { user: User } };

export type GuardMiddleware = MiddlewareHandler<SignedIn>;

/** A guard as Hono middleware. */
export function guardMiddleware(entrance: Entrance): GuardMiddleware {
  return (c, next) => {
    const entry = entrance(c.req.header("cookie"), () => visitOf(c));
    // Only the guard's own faults are its business; those of what it protects go their own way.
    return entry instanceof Promise
      ? entry.then((decided) => enter(c, next, decided))
      : enter(c, next, entry);
  };
}

function enter(
  c: Context<SignedIn>,
  next: () => Promise<void>,
  entry: Entry,
): ReturnType<GuardMiddleware> {
  if (entry.kind === "refused") return Promise.resolve(entry.response);
  c.set("user", entry.user);
  return next();
}
