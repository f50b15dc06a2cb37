import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import { openPostgres } from "../../../src/db/postgres/store.ts";
import { openSqlite } from "../../../src/db/sqlite/store.ts";
import type { Either } from "../../db/either.ts";
import { sharedPostgres } from "../../support/postgres-shared.ts";
import type { Browser } from "../browser.ts";
import { type App, type Person, type RunningProvider, startProvider } from "../provider.ts";

const server = await sharedPostgres();

const open: Readonly<Record<string, () => Promise<Either>>> = {
  SQLite: () => openSqlite({ file: ":memory:" }),
  PostgreSQL: async () => openPostgres({ url: await server.newStoreDatabase() }),
};

const closing: (() => unknown)[] = [];
const providers = new Map<string, Promise<RunningProvider>>();

after(async () => {
  for (const close of closing.reverse()) await close();
});

/** One provider for each database serves all modules, each with its own person, app and browser. */
function readProvider(kind: string): Promise<RunningProvider> {
  const known = providers.get(kind) ?? start(kind);
  providers.set(kind, known);
  return known;
}

async function start(kind: string): Promise<RunningProvider> {
  const store = await open[kind]?.();
  if (store === undefined) throw new Error(`no store ${kind}`);
  closing.push(() => store.close());
  return startProvider({ after: (close) => closing.push(close as () => unknown) }, store);
}

/** A person with a browser, and an app that has not seen them. */
export interface Visit {
  readonly provider: RunningProvider;
  readonly browser: Browser;
  readonly app: App;
  readonly person: Person;
}

/**
 * Registers the test of a module of the conformance suite, for each database. Whatever it sends, the
 * server must not fail.
 */
export function module(
  name: string,
  behaviour: string,
  check: (visit: Visit, t: TestContext) => Promise<void>,
): void {
  for (const kind of Object.keys(open)) {
    test(`${kind}: ${name}: ${behaviour}`, async (t) => {
      const provider = await readProvider(kind);
      const [app, person] = [await provider.addApp(), await provider.addPerson(["family"])];
      const before = provider.log.length;
      await check({ provider, browser: provider.openBrowser(), app, person }, t);
      const errors = provider.log.slice(before).filter(({ level }) => level === "error");
      assert.deepEqual(errors, []);
    });
  }
}
