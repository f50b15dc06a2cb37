import { type Lists, NO_LISTS } from "../identity/admits-user.ts";
import type { Factors } from "../identity/session-token.ts";
import { FACTOR } from "./refusals.ts";

/** Contains the query of a forward-auth request, as the proxy configuration writes it. */
export interface ForwardAuthQuery extends Lists {
  readonly kind: "query";
  /** Visitors who requested a page get this response. */
  readonly deny: "redirect" | "401";
  /**
   * With `pass`, the response that admits the user repeats the `Authorization` header of the
   * request.
   */
  readonly authorization: "leave-out" | "pass";
  /** The sign-in of a user must have had at least this many factors. */
  readonly factors: Factors;
  /** With `only`, hosts without an app are refused, whatever the setting `APPS` is. */
  readonly apps: "any" | "only";
}

export interface UnknownParameter {
  readonly kind: "unknown-parameter";
  readonly name: string;
}

/** These are the defaults for a request without a query. */
export const NO_QUERY: ForwardAuthQuery = {
  kind: "query",
  deny: "redirect",
  ...NO_LISTS,
  authorization: "leave-out",
  factors: 1,
  apps: "any",
};

/**
 * Reads the raw query, with its `?`, because `%2C` is a comma in a name and `,` separates names. An
 * unknown parameter may be a misspelt list of users, so it must not admit every user.
 */
export function parseForwardAuthQuery(query: string): ForwardAuthQuery | UnknownParameter {
  // Most proxies send no query, and they send a request for every request to an app.
  if (query === "") return NO_QUERY;
  let { deny, authorization, factors, apps } = NO_QUERY;
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
    else if (parameter === "apps=only") apps = "only";
    else if (parameter !== "") return { kind: "unknown-parameter", name };
  }
  return { kind: "query", deny, users, groups, authorization, factors, apps };
}

/** Splits the raw list: `,` separates names, and `%2C` is a comma in a name. */
const parseNames = (list: string): readonly (string | undefined)[] =>
  list.split(",").map(decodeName);

/**
 * Decodes a name. Returns `undefined` for text that is not percent-encoded UTF-8, which matches no
 * user.
 */
function decodeName(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
