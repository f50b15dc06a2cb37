import { Fault } from "../core/fault.ts";

/** A database that a later Latchkey has migrated: what this one would do to it, nobody knows. */
export function newerSchema(database: string, version: number, known: number): Fault {
  return new Fault(
    "schema_newer",
    `${database} has schema ${version} and this Latchkey knows up to ${known}: it needs a newer Latchkey`,
  );
}
