import { messageOf } from "../../core/base/fault.ts";
import type { Ask } from "../statements/sql.ts";
import { askOn, type PostgresPool, withClient } from "./query.ts";
import { SAFE_PATH } from "./tables.ts";

/** For what no page waits for: counting rows or a slow disk can take long. */
const WITHIN_MS = 60_000;
/** For each statement of a transaction that a page waits for. */
export const PAGE_WITHIN_MS = 1_000;

/** Returns the outcome after the transaction was undone. */
export type Undo = <T>(outcome: T) => Promise<T>;

/**
 * Runs `work` in a READ COMMITTED transaction, whatever the database's default, in which short names
 * mean PostgreSQL's own functions and operators.
 */
export function inTransaction<T>(
  pool: PostgresPool,
  work: (ask: Ask, undo: Undo) => Promise<T>,
  withinMs: number = WITHIN_MS,
): Promise<T> {
  return withClient(pool, async (client) => {
    const ask = askOn(client, withinMs);
    let end = "COMMIT";
    await ask("BEGIN ISOLATION LEVEL READ COMMITTED");
    try {
      await ask(`SET LOCAL statement_timeout = ${withinMs}; ${SAFE_PATH}`);
      const outcome = await work(ask, async (undone) => {
        end = "ROLLBACK";
        return undone;
      });
      await ask(end);
      return outcome;
    } catch (error) {
      await ask("ROLLBACK").catch((failure) => {
        // The transaction may still be open: for an error without a code of PostgreSQL, `withClient`
        // closes the connection.
        throw new Error(messageOf(failure), { cause: error });
      });
      throw error;
    }
  });
}
