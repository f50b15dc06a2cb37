import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Store } from "../../../src/db/store.ts";

/** A new, empty database. Each call of `connect` opens another connection to it. */
export interface Database<Connected extends Store = Store> {
  connect(): Promise<Connected>;
}

/** Creates the database for one test, and closes everything afterwards with `t.after`. */
export type Open<Connected extends Store> = (t: TestContext) => Promise<Database<Connected>>;

export type Rule<Connected extends Store> = (
  text: string,
  check: (store: Connected, database: Contested<Connected>) => Promise<void>,
) => void;

interface Contested<Connected extends Store> extends Database<Connected> {
  /** Calls `act` on eight connections at the same time, `times` times on each. */
  race<T>(act: (store: Connected, i: number) => Promise<T>, times?: number): Promise<readonly T[]>;
  /** The same for what only one call can do. Returns its result; the others are `false` or none. */
  onlyOne<T>(act: (store: Connected, i: number) => Promise<T>, times?: number): Promise<T>;
}

/** A store with this part, of which `attempts` is in PostgreSQL only. */
export type With<P extends keyof Store> = Store & Required<Pick<Store, P>>;

/** Turns each rule of a part into a test with its own database. */
export function rulesFor<P extends keyof Store>(name: string, open: Open<Store>): Rule<With<P>> {
  return (text, check) => {
    test(`${name}: ${text}`, async (t) => {
      const database = await open(t);
      const connect = async () => (await database.connect()) as With<P>;
      const race: Contested<With<P>>["race"] = async (act, times = 1) => {
        const stores = await Promise.all(Array.from({ length: COMPETITORS }, connect));
        const contestants = Array.from({ length: times }, () => stores).flat();
        return Promise.all(contestants.map(act));
      };
      const onlyOne: Contested<With<P>>["onlyOne"] = async (act, times) => {
        const [winner, ...others] = (await race(act, times)).filter(Boolean);
        assert.ok(winner);
        assert.deepEqual(others, []);
        return winner;
      };
      await check(await connect(), { connect, race, onlyOne });
    });
  };
}

/** The number of connections in a `race`. */
export const COMPETITORS = 8;
