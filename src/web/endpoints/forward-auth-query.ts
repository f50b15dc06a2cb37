import type { User } from "../../core/records.ts";

/** The query of a forward-auth request, as the configuration of the proxy writes it. */
export interface ForwardAuthQuery {
  readonly kind: "query";
  /** What a visitor who requested a page gets. */
  readonly deny: "redirect" | "401";
  /** The lists of users, percent-encoded as sent. */
  readonly users: readonly string[];
  /** The lists of groups. */
  readonly groups: readonly string[];
  /** `pass`: the answer that admits repeats the request's `Authorization`. */
  readonly authorization: "leave-out" | "pass";
}

interface UnknownParameter {
  readonly kind: "unknown-parameter";
  readonly name: string;
}

const NO_QUERY: ForwardAuthQuery = {
  kind: "query",
  deny: "redirect",
  users: [],
  groups: [],
  authorization: "leave-out",
};

/**
 * Reads the query as sent, with its `?`, so that `%2C` is a comma in a name and `,` separates names.
 * An unknown parameter may be a misspelt list of users, which must not admit every user.
 */
export function readForwardAuthQuery(query: string): ForwardAuthQuery | UnknownParameter {
  // Most proxies ask without one, with every request to an app.
  if (query === "") return NO_QUERY;
  let { deny, authorization } = NO_QUERY;
  const users: string[] = [];
  const groups: string[] = [];
  for (const parameter of query.slice(1).split("&")) {
    const [name = ""] = parameter.split("=", 1);
    const value = parameter.slice(name.length + 1);
    if (name === "users") users.push(value);
    else if (name === "groups") groups.push(value);
    else if (name === "deny") deny = value === "401" ? "401" : deny;
    else if (name === "authorization") authorization = value === "pass" ? "pass" : authorization;
    else if (parameter !== "") return { kind: "unknown-parameter", name };
  }
  return { kind: "query", deny, users, groups, authorization };
}

/**
 * Whether every list of users contains the name, or every list of groups one of the user's groups;
 * without any list, every user is admitted. A second list of one kind can only exclude more users.
 */
export function admitsUser({ users, groups }: ForwardAuthQuery, user: User): boolean {
  if (users.length === 0 && groups.length === 0) return true;
  const names = (list: string) => list.split(",").map(decoded);
  const isListed = users.every((list) => names(list).includes(user.username));
  const isMember = groups.every((list) =>
    names(list).some((name) => name !== undefined && user.groups?.includes(name) === true),
  );
  return (users.length > 0 && isListed) || (groups.length > 0 && isMember);
}

/** `undefined` for text that is not percent-encoded UTF-8: it names nobody. */
function decoded(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
