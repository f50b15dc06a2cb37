import { type TestContext, test } from "node:test";
import type { Store } from "../core/store.ts";

/** A fresh, empty database. Each call of `connect` is a connection of its own to it. */
export interface Database<Connected extends Store = Store> {
  connect(): Promise<Connected>;
}

/** Makes the database for one test, and sees to it (`t.after`) that everything is closed then. */
export type Open<Connected extends Store> = (t: TestContext) => Promise<Database<Connected>>;

export type Rule<Connected extends Store> = (
  text: string,
  check: (store: Connected, database: Database<Connected>) => Promise<void>,
) => void;

/** Each rule becomes a test with a database of its own. */
export function rulesFor<Connected extends Store>(
  name: string,
  open: Open<Connected>,
): Rule<Connected> {
  return (text, check) => {
    test(`${name}: ${text}`, async (t) => {
      const database = await open(t);
      await check(await database.connect(), database);
    });
  };
}
