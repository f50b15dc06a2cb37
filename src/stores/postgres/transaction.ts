import { messageOf } from "../../core/fault.ts";
import { type PostgresPool, type Row, run, withClient } from "./query.ts";
import { SAFE_PATH } from "./tables.ts";

/** Nobody's page waits for it, and counting or a slow disk may take its time. */
export const PATIENCE_MS = 60_000;

export type TransactionAsk = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

type Undo = <T>(outcome: T) => Promise<T>;

/**
 * Sees what others have committed in the meantime, whatever the database's own setting, and finds
 * functions and operators in PostgreSQL's own schema only.
 */
export function inTransaction<T>(
  pool: PostgresPool,
  work: (ask: TransactionAsk, undo: Undo) => Promise<T>,
): Promise<T> {
  return withClient(pool, async (client) => {
    const ask: TransactionAsk = (text, values = []) => run(client, { text, values }, PATIENCE_MS);
    let end = "COMMIT";
    await ask("BEGIN ISOLATION LEVEL READ COMMITTED");
    try {
      await ask(`SET LOCAL statement_timeout = ${PATIENCE_MS}; ${SAFE_PATH}`);
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
 * The transaction may be open still, so that nobody may use the connection again: without a code of
 * PostgreSQL's, an error is none that a connection survives.
 */
const stillOpen = (failure: unknown, first: unknown): Error =>
  new Error(messageOf(failure), { cause: first });
