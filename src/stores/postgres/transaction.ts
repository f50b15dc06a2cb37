import { messageOf } from "../../core/fault.ts";
import { type PostgresPool, type Row, run, withClient } from "./query.ts";
import { SAFE_PATH } from "./tables.ts";

/** No page waits for a transaction, and counting rows or a slow disk can take long. */
export const TRANSACTION_WITHIN_MS = 60_000;

export type TransactionAsk = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

type Undo = <T>(outcome: T) => Promise<T>;

/**
 * Runs `work` in a READ COMMITTED transaction, whatever the database's default, in which short names
 * mean PostgreSQL's own functions and operators.
 */
export function inTransaction<T>(
  pool: PostgresPool,
  work: (ask: TransactionAsk, undo: Undo) => Promise<T>,
): Promise<T> {
  return withClient(pool, async (client) => {
    const ask: TransactionAsk = (text, values = []) =>
      run(client, { text, values }, TRANSACTION_WITHIN_MS);
    let end = "COMMIT";
    await ask("BEGIN ISOLATION LEVEL READ COMMITTED");
    try {
      await ask(`SET LOCAL statement_timeout = ${TRANSACTION_WITHIN_MS}; ${SAFE_PATH}`);
      const outcome = await work(ask, async (undone) => {
        end = "ROLLBACK";
        return undone;
      });
      await ask(end);
      return outcome;
    } catch (error) {
      await ask("ROLLBACK").catch((failure) => {
        throw stillOpen(failure, error);
      });
      throw error;
    }
  });
}

/**
 * The transaction may still be open, so the connection must be closed: `withClient` does that for an
 * error without a PostgreSQL code.
 */
const stillOpen = (failure: unknown, first: unknown): Error =>
  new Error(messageOf(failure), { cause: first });
