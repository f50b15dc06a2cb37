import type { Person } from "../records.ts";

export interface PeopleStore {
  /** Sorted by username, with all of their facts in a bounded number of queries. */
  list(query: PeopleQuery): Promise<readonly Person[]>;
}

export interface PeopleQuery {
  /** A part of the username, of which ASCII letters match in either case. Empty for all. */
  readonly search: string;
  /** Only those after this username, byte by byte. */
  readonly after?: string | undefined;
  /** Instead, only the last ones before this username. */
  readonly before?: string | undefined;
  readonly limit: number;
  /** Sessions that expire by then are not counted. */
  readonly now: Date;
}
