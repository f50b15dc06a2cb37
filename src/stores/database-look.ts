/** What can be seen of a database without changing anything in it. */
export interface DatabaseLook {
  /** 0 where there are no tables of Latchkey. */
  readonly schema: number;
  /** The latest that this Latchkey knows. */
  readonly newestSchema: number;
  /** Not there where the schema is one that this Latchkey cannot read. */
  readonly contents: DatabaseContents | undefined;
}

export interface DatabaseContents {
  readonly hasUsers: boolean;
  /** The time of the log entry that has the latest one. */
  readonly latestEntry: Date | undefined;
  /** The summaries of the newest denied sign-ins. */
  readonly denials: readonly string[];
}

export const DENIALS_LOOKED_AT = 100;
