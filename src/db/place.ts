import { resolve } from "node:path";
import { invalidUrl, parsePostgresUrl } from "./postgres/url.ts";

/** Where a database is. */
export type Place =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgres"; readonly url: string };

/** The file of an SQLite database. */
export const fileOf = (place: Place): string | undefined =>
  place.kind === "sqlite" ? place.file : undefined;

/**
 * Reads `sqlite:PATH` or a `postgres://` URL. The path is taken as it is, without percent-encoding.
 * @throws For any other text. The message never repeats it, because it can contain a password.
 */
export function parsePlace(text: string): Place {
  const [, path] = /^sqlite:(.*)$/s.exec(text) ?? [];
  if (path !== undefined) {
    // After two slashes a URL has a host. A database in memory would end with its process.
    if (path !== "" && path !== ":memory:" && !/^\/\/(?!\/)/.test(path))
      return { kind: "sqlite", file: resolve(path) };
    throw invalidUrl(
      "sqlite: takes a path, as in sqlite:data/accounts.db or sqlite:///srv/accounts.db",
    );
  }
  if (!/^postgres(ql)?:\/\//.test(text))
    throw invalidUrl("it must start with postgres:// or sqlite:");
  parsePostgresUrl(text);
  return { kind: "postgres", url: text };
}

/** The name of a database in messages: without the user and the password of a URL. */
export function shownPlace(place: Place): string {
  if (place.kind === "sqlite") return `sqlite:${place.file}`;
  const { hosts, login } = parsePostgresUrl(place.url);
  const addresses = hosts.map(({ host, port }) => `${host.toLowerCase()}:${port}`).sort();
  return `postgres://${addresses.join(",")}/${login.database ?? login.user ?? ""}`;
}
