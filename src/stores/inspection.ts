import { Fault } from "../core/base/fault.ts";

/** What the doctor reads of a database without changing it. */
export interface DatabaseInspection {
  /** 0 when the database has no Latchkey tables. */
  readonly schema: number;
  /** The newest schema that this version of Latchkey knows. */
  readonly newestSchema: number;
  /** An object that the migrations do not create in this way. */
  readonly difference: string | undefined;
  /** Absent when this version of Latchkey cannot read the schema, or must not. */
  readonly contents: DatabaseContents | undefined;
}

export interface DatabaseContents {
  readonly hasUsers: boolean;
  /** Whether one is in the group `admins`, and does not end. */
  readonly hasAdmin: boolean;
}

/** For a database that a newer Latchkey has migrated: this version must not write to it. */
export function newerSchema(database: string, version: number, known: number): Fault {
  return new Fault(
    "schema_newer",
    `${database} has schema ${version}, but this Latchkey knows schemas up to ${known}: use a newer Latchkey`,
  );
}
