import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import { openPostgres } from "../../../src/db/postgres/store.ts";
import { openSqlite } from "../../../src/db/sqlite/store.ts";
import type { Either } from "../../db/either.ts";
import { sharedPostgres } from "../../support/postgres-shared.ts";
import type { Browser } from "../browser.ts";
import { type App, type Person, type RunningProvider, startProvider } from "../provider.ts";

/** The modules run on SQLite, and in `postgres.full.test.ts` on PostgreSQL. */
const KIND = process.env.CONFORMANCE_DATABASE === "PostgreSQL" ? "PostgreSQL" : "SQLite";
const server = KIND === "PostgreSQL" ? await sharedPostgres() : undefined;

const openDatabase = async (): Promise<Either> =>
  server === undefined
    ? openSqlite({ file: ":memory:" })
    : openPostgres({ url: await server.newStoreDatabase() });

const closing: (() => unknown)[] = [];
let provider: Promise<RunningProvider> | undefined;

after(async () => {
  for (const close of closing.reverse()) await close();
});

/** One provider serves all modules, each with its own person, app and browser. */
function readProvider(): Promise<RunningProvider> {
  provider ??= start();
  return provider;
}

async function start(): Promise<RunningProvider> {
  const store = await openDatabase();
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

/** Registers the test of a module of the conformance suite. Whatever it sends, the server must not fail. */
export function module(
  name: string,
  behaviour: string,
  check: (visit: Visit, t: TestContext) => Promise<void>,
): void {
  test(`${KIND}: ${name}: ${behaviour}`, async (t) => {
    const running = await readProvider();
    const [app, person] = [await running.addApp(), await running.addPerson(["family"])];
    const before = running.log.length;
    await check({ provider: running, browser: running.openBrowser(), app, person }, t);
    const errors = running.log.slice(before).filter(({ level }) => level === "error");
    assert.deepEqual(errors, []);
  });
}
