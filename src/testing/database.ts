import type { TestContext } from "node:test";
import type { Store } from "../core/store.ts";

/** A new, empty database. Each call of `connect` opens another connection to it. */
export interface Database<Connected extends Store = Store> {
  connect(): Promise<Connected>;
}

/** Creates the database for one test, and closes everything afterwards with `t.after`. */
export type Open<Connected extends Store> = (t: TestContext) => Promise<Database<Connected>>;

export type Rule<Connected extends Store> = (
  text: string,
  check: (store: Connected, database: Database<Connected>) => Promise<void>,
) => void;

/** Turns each rule into a test with its own database. */
export function rulesFor<Connected extends Store>(
  name: string,
  open: Open<Connected>,
): Rule<Connected> {
  // Here, so that the other exports of `latchkey/testing` work with other test runners.
  const { test } = process.getBuiltinModule("node:test");
  return (text, check) => {
    test(`${name}: ${text}`, async (t) => {
      const database = await open(t);
      await check(await database.connect(), database);
    });
  };
}

/** The number of connections in a `race`. */
export const COMPETITORS = 8;

/** Calls `act` on all connections at the same time, `times` times on each. */
export async function race<Connected extends Store, T>(
  { connect }: Database<Connected>,
  times: number,
  act: (store: Connected, i: number) => Promise<T>,
): Promise<readonly T[]> {
  const stores = await Promise.all(Array.from({ length: COMPETITORS }, () => connect()));
  return Promise.all(
    Array.from({ length: times }, () => stores)
      .flat()
      .map(act),
  );
}

/** A store that has this part. */
export type With<P extends keyof Store> = Store & {
  readonly [Name in P]: NonNullable<Store[Name]>;
};

/** The same database, for tests of a part. */
export const having =
  <P extends keyof Store>(part: P, open: Open<Store>): Open<With<P>> =>
  async (t) => {
    const { connect } = await open(t);
    return {
      async connect() {
        const store = await connect();
        if (store[part] === undefined) throw new Error(`the store has no ${part}`);
        return store as With<P>;
      },
    };
  };
