import type { MaybePromise } from "./clock.ts";
import type { SessionTokens } from "./session-token.ts";
import type { User } from "./store.ts";
import type { UserMemory } from "./user-memory.ts";

/** Who a session token belongs to. Anything amiss with it means: nobody. */
export type CurrentUser = (token: string | undefined) => MaybePromise<User | undefined>;

/** Resolves without a promise when the token and its user are both remembered. */
export function createCurrentUser(tokens: SessionTokens, users: UserMemory): CurrentUser {
  return (token) => {
    if (token === undefined || token === "") return undefined;
    const userId = tokens.read(token);
    if (userId instanceof Promise) {
      return userId.then((id) => (id === undefined ? undefined : users.find(id)));
    }
    return userId === undefined ? undefined : users.find(userId);
  };
}
