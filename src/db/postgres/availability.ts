import { DatabaseBusy, NoResponse } from "./failures.ts";

/** After the database did not answer, other calls fail at once for this long. */
const PAUSE_MS = 1_000;

/** Represents one use of a connection: a query or a transaction. */
export interface ConnectionUse {
  /** The use began to wait for a connection at this time. */
  readonly startedAt: number;
  markAnswered(): void;
  /** Returns the error to throw. */
  fail(error: unknown): unknown;
  end(): void;
}

/**
 * Tracks whether the database answers. While it does not answer, one use per second tries and the
 * others fail at once, so that a page with several queries does not wait for each query in turn.
 */
export class Availability {
  #silentUntil = 0;
  #isTrying = false;
  #answeredAt = 0;
  #isBusy = false;

  /** @throws While the database does not answer. */
  begin(): ConnectionUse {
    const startedAt = performance.now();
    const isTrial = this.#silentUntil > 0;
    if (isTrial && (this.#isTrying || startedAt < this.#silentUntil)) throw this.#createFault();
    this.#isTrying ||= isTrial;
    let hasAnswered = false;
    return {
      startedAt,
      markAnswered: () => {
        hasAnswered = true;
        this.#answeredAt = performance.now();
        this.#silentUntil = 0;
      },
      fail: (error) => {
        if (isTrial) this.#isTrying = false;
        if (!(error instanceof NoResponse)) {
          this.#silentUntil = 0;
          return error;
        }
        // A transaction of several slow statements does not mean that the database is silent.
        this.#silentUntil = hasAnswered ? 0 : performance.now() + PAUSE_MS;
        // The database has answered meanwhile, so the database or this process is overloaded.
        this.#isBusy = this.#answeredAt > startedAt;
        return this.#isBusy ? new DatabaseBusy(error.cause) : error;
      },
      end: () => {
        if (isTrial) this.#isTrying = false;
      },
    };
  }

  #createFault(): Error {
    return this.#isBusy ? new DatabaseBusy() : new NoResponse();
  }
}
