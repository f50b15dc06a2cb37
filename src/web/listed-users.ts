const LIST = /[?&]users=([^&#]*)/g;

/**
 * Whether the URL of a forward-auth request admits this user: it has no list of users, or every
 * list contains the name. A second list can only exclude more users, whoever added it.
 *
 * Read from the URL as sent, so that `%2C` is a comma in a name and `,` separates names.
 */
export function listsUser(url: string, username: string): boolean {
  // Most proxies ask without a list, with every request to an app.
  if (!url.includes("users=")) return true;
  const lists = [...url.matchAll(LIST)].map(([, list = ""]) => list);
  return lists.every((list) => list.split(",").some((name) => decoded(name) === username));
}

/** `undefined` for text that is not percent-encoded UTF-8: it names no user. */
function decoded(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
