/** Observes how each operation of a store ends. Its methods must return at once and never throw. */
export interface Observer {
  answered(operation: string, seconds: number): void;
  failed(operation: string, seconds: number, error: unknown): void;
}

/**
 * Wraps each operation, which is `call`. A simulation uses it to delay operations and let them
 * fail.
 */
export type Around = <T>(operation: string, call: () => Promise<T>) => Promise<T>;

/** Runs a query on the open database. */
type Query<Open, Args extends readonly unknown[], Result> = (
  database: Open,
  ...args: Args
) => Promise<Result>;

/** Runs every operation of a store. */
export interface Operations<Open> {
  /** Returns the operation that runs this query under a name such as `users.find`. */
  define<Args extends readonly unknown[], Result>(
    name: string,
    query: Query<Open, Args, Result>,
  ): (...args: Args) => Promise<Result>;
  /** Lists the names of all operations. */
  readonly names: readonly string[];
  /** Notifies the observer of every operation that ends, until the returned function is called. */
  observe(observer: Observer): () => void;
}

/** @param open throws an `Unavailable` while the database is not open yet. */
export function createOperations<Open>(
  open: () => Open,
  around: Around = (_, call) => call(),
): Operations<Open> {
  const names: string[] = [];
  const observers = new Set<Observer>();

  async function run<Result>(name: string, call: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    const seconds = (): number => (performance.now() - startedAt) / 1_000;
    let result: Result;
    try {
      result = await around(name, call);
    } catch (error) {
      for (const observer of observers) observer.failed(name, seconds(), error);
      throw error;
    }
    for (const observer of observers) observer.answered(name, seconds());
    return result;
  }

  return {
    define(name, query) {
      names.push(name);
      return (...args) => run(name, async () => await query(open(), ...args));
    },
    names,
    observe(observer) {
      observers.add(observer);
      return () => void observers.delete(observer);
    },
  };
}
