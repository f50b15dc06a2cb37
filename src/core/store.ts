import type { AttemptStore } from "./store/attempts.ts";
import type { CodeStore } from "./store/codes.ts";
import type { DeviceStore } from "./store/devices.ts";
import type { KeyStore } from "./store/keys.ts";
import type { LinkStore } from "./store/links.ts";
import type { LogStore } from "./store/log.ts";
import type { Observer } from "./store/observer.ts";
import type { PasskeyStore } from "./store/passkeys.ts";
import type { PeopleStore } from "./store/people.ts";
import type { SessionStore } from "./store/sessions.ts";
import type { UserStore } from "./store/users.ts";

export type * from "./store/attempts.ts";
export type * from "./store/codes.ts";
export type * from "./store/devices.ts";
export type * from "./store/keys.ts";
export type * from "./store/links.ts";
export type * from "./store/log.ts";
export type * from "./store/observer.ts";
export type * from "./store/passkeys.ts";
export type * from "./store/people.ts";
export type * from "./store/sessions.ts";
export type * from "./store/users.ts";

/**
 * The database of `openSqlite` or `openPostgres`. A method fails by throwing, with an `Unavailable`
 * where a retry may help, so that pages answer 503. A method that changes something is one atomic
 * step across all processes and machines, and returns what it did.
 */
export interface Store {
  readonly users: UserStore;
  readonly log: LogStore;
  /** The list of sessions, and the end of single ones. */
  readonly sessions: SessionStore;
  readonly passkeys: PasskeyStore;
  readonly codes: CodeStore;
  readonly devices: DeviceStore;
  /** What administrators see of accounts. */
  readonly people: PeopleStore;
  /** One-time links, and the accounts that they make. */
  readonly links: LinkStore;
  readonly keys: KeyStore;
  /** A rate limit that all instances share: only in PostgreSQL. */
  readonly attempts?: AttemptStore;
  /** The names of all operations, such as `users.find`. */
  readonly operations: readonly string[];
  /** Tells the observer of every operation that ends, until the returned function is called. */
  observe(observer: Observer): () => void;
}
