import type { Clock } from "../base/clock.ts";
import type { Event } from "../log/events.ts";
import type { Passwords } from "../passwords/passwords.ts";
import type { Kept, Store } from "../store.ts";

/** What the rules of the account commands need. */
export interface AccountPorts {
  readonly store: Pick<Store, "users">;
  readonly passwords: Pick<Passwords, "hash">;
  readonly clock: Pick<Clock, "now">;
  /** For a change by an administrator, who cannot leave nobody in charge. An operator can. */
  readonly keep?: Kept;
  /** Writes an entry of the audit log. */
  readonly record: (event: Event) => Promise<void>;
}

/** What the rules need on the pages for administrators. `record` also says who did it. */
export interface PeoplePorts extends AccountPorts {
  readonly store: Required<Pick<Store, "users" | "people" | "links" | "log">>;
  readonly keep: Kept;
  /** Writes the entries of the audit log that wait, for 250 ms at most. */
  readonly flush: () => Promise<void>;
}
