import { UsageError } from "../errors.ts";
import type { ServerAddress } from "../http/wire.ts";

/** A client of OpenID Connect that the server knows. */
export interface OidcClient {
  readonly id: string;
  /** A client without a secret is a public one. */
  readonly secret?: string;
  readonly redirect: string;
  readonly signOutRedirect?: string;
  /** Only members of this group may open the app. The account to attack with is not a member. */
  readonly group?: string;
}

/** What the attacks on OpenID Connect use. */
export interface OidcSetup {
  readonly clients: readonly OidcClient[];
  /** Another instance that shares the database. */
  readonly second?: ServerAddress;
}

/**
 * Reads clients from JSON: an array of objects with `id` and `redirect`, and where they apply
 * `secret`, `signOutRedirect` and `group`.
 *
 * @throws UsageError if the text has another form
 */
export function parseClients(text: string): readonly OidcClient[] {
  const wrong = (): UsageError =>
    new UsageError(
      'the clients must be a JSON array such as [{"id":"photos","secret":"…","redirect":"https://photos.example.org/callback"}]',
    );
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw wrong();
  }
  if (!Array.isArray(value)) throw wrong();
  return value.map((item: unknown): OidcClient => {
    const { id, secret, redirect, signOutRedirect, group } = Object(item);
    const optional = [secret, signOutRedirect, group];
    const fits = optional.every((one) => one === undefined || typeof one === "string");
    if (typeof id !== "string" || typeof redirect !== "string" || !fits) throw wrong();
    return {
      ...{ id, redirect },
      ...(secret !== undefined && { secret }),
      ...(signOutRedirect !== undefined && { signOutRedirect }),
      ...(group !== undefined && { group }),
    };
  });
}
