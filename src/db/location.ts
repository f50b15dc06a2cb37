import { resolve } from "node:path";
import { createUrlFault, parsePostgresUrl } from "./postgres/url.ts";

/** Identifies where a database is. */
export type DatabaseLocation =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgres"; readonly url: string };

/** Returns the file of an SQLite database, and `undefined` for any other database. */
export const getSqliteFile = (location: DatabaseLocation): string | undefined =>
  location.kind === "sqlite" ? location.file : undefined;

/**
 * Parses `sqlite:PATH` or a `postgres://` URL. The path is used as it is, without percent-decoding.
 *
 * @throws For any other text. The message never repeats the text, because the text can contain a
 * password.
 */
export function parseDatabaseLocation(text: string): DatabaseLocation {
  const [, path] = /^sqlite:(.*)$/s.exec(text) ?? [];
  if (path !== undefined) {
    // A URL has a host after two slashes. A database in memory would end with its process.
    if (path !== "" && path !== ":memory:" && !/^\/\/(?!\/)/.test(path))
      return { kind: "sqlite", file: resolve(path) };
    throw createUrlFault(
      "sqlite: takes a path, as in sqlite:data/accounts.db or sqlite:///srv/accounts.db",
    );
  }
  if (!/^postgres(ql)?:\/\//.test(text))
    throw createUrlFault("it must start with postgres:// or sqlite:");
  parsePostgresUrl(text);
  return { kind: "postgres", url: text };
}

/** Formats the name of a database for messages, without the user and the password of a URL. */
export function formatDatabaseLocation(location: DatabaseLocation): string {
  if (location.kind === "sqlite") return `sqlite:${location.file}`;
  const { hosts, login } = parsePostgresUrl(location.url);
  const addresses = hosts.map(({ host, port }) => `${host.toLowerCase()}:${port}`).sort();
  return `postgres://${addresses.join(",")}/${login.database ?? login.user ?? ""}`;
}
