/** The query of a forward-auth request, as the configuration of the proxy writes it. */
export interface ForwardAuthQuery {
  readonly kind: "query";
  /** What a visitor who requested a page gets. */
  readonly deny: "redirect" | "401";
  /** The lists of users, percent-encoded as sent. */
  readonly lists: readonly string[];
}

interface UnknownParameter {
  readonly kind: "unknown-parameter";
  readonly name: string;
}

const NO_QUERY: ForwardAuthQuery = { kind: "query", deny: "redirect", lists: [] };

/**
 * Reads the query as sent, with its `?`, so that `%2C` is a comma in a name and `,` separates names.
 * An unknown parameter may be a misspelt list of users, which must not admit every user.
 */
export function readForwardAuthQuery(query: string): ForwardAuthQuery | UnknownParameter {
  // Most proxies ask without one, with every request to an app.
  if (query === "") return NO_QUERY;
  let deny: ForwardAuthQuery["deny"] = "redirect";
  const lists: string[] = [];
  for (const parameter of query.slice(1).split("&")) {
    const [name = ""] = parameter.split("=", 1);
    const value = parameter.slice(name.length + 1);
    if (name === "users") lists.push(value);
    else if (name === "deny") deny = value === "401" ? "401" : deny;
    else if (parameter !== "") return { kind: "unknown-parameter", name };
  }
  return { kind: "query", deny, lists };
}

/**
 * Whether every list contains the name; without a list, every user is admitted. A second list can
 * only exclude more users, whoever added it.
 */
export const admitsUser = (lists: readonly string[], username: string): boolean =>
  lists.every((list) => list.split(",").some((name) => decoded(name) === username));

/** `undefined` for text that is not percent-encoded UTF-8: it names no user. */
function decoded(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
