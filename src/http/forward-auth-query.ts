import { type Lists, NO_LISTS } from "../identity/admits-user.ts";
import type { Factors } from "../identity/session-token.ts";
import { FACTOR } from "./refusals.ts";

/** The query of a forward-auth request, as the configuration of the proxy writes it. */
export interface ForwardAuthQuery extends Lists {
  readonly kind: "query";
  /** What a visitor who requested a page gets. */
  readonly deny: "redirect" | "401";
  /** `pass`: the answer that admits repeats the request's `Authorization`. */
  readonly authorization: "leave-out" | "pass";
  /** How many factors the sign-in of a person must have had. */
  readonly factors: Factors;
}

export interface UnknownParameter {
  readonly kind: "unknown-parameter";
  readonly name: string;
}

/** A request without a query. */
export const NO_QUERY: ForwardAuthQuery = {
  kind: "query",
  deny: "redirect",
  ...NO_LISTS,
  authorization: "leave-out",
  factors: 1,
};

/**
 * Reads the query as sent, with its `?`, so that `%2C` is a comma in a name and `,` separates names.
 * An unknown parameter may be a misspelt list of users, which must not admit every user.
 */
export function parseForwardAuthQuery(query: string): ForwardAuthQuery | UnknownParameter {
  // Most proxies ask without one, with every request to an app.
  if (query === "") return NO_QUERY;
  let { deny, authorization, factors } = NO_QUERY;
  const users: Lists["users"][number][] = [];
  const groups: Lists["groups"][number][] = [];
  for (const parameter of query.slice(1).split("&")) {
    const [name = ""] = parameter.split("=", 1);
    const value = parameter.slice(name.length + 1);
    if (name === "users") users.push(parseNames(value));
    else if (name === "groups") groups.push(parseNames(value));
    else if (name === "deny") deny = value === "401" ? "401" : deny;
    else if (name === "authorization") authorization = value === "pass" ? "pass" : authorization;
    else if (parameter === `${FACTOR}=2`) factors = 2;
    else if (parameter !== "") return { kind: "unknown-parameter", name };
  }
  return { kind: "query", deny, users, groups, authorization, factors };
}

/** As sent: `,` separates names, and `%2C` is a comma in a name. */
const parseNames = (list: string): readonly (string | undefined)[] =>
  list.split(",").map(decodeName);

/** `undefined` for text that is not percent-encoded UTF-8: it names nobody. */
function decodeName(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
