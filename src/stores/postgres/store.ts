import "../../core/base/node-version.ts";
import { randomUUID } from "node:crypto";
import { Fault } from "../../core/base/fault.ts";
import { option, settle, word } from "../../core/base/options.ts";
import type { NewLogEntry } from "../../core/records.ts";
import type { SetupTokenStore } from "../../core/setup/setup-token.ts";
import type { Store } from "../../core/store.ts";
import { rowOf, tables } from "../../core/tables.ts";
import type { TransferStore } from "../../core/transfer/transfer-store.ts";
import { partsOn } from "../statements/parts.ts";
import { setupTokenOn } from "../statements/setup-token.ts";
import type { Ask, InOneStep } from "../statements/sql.ts";
import { transferOn } from "../statements/transfer.ts";
import { attemptsOn } from "./attempts.ts";
import { DatabaseUnavailable, isTaken } from "./failures.ts";
import { createPool } from "./pool.ts";
import {
  createAsk,
  createInTime,
  type PostgresPool,
  slowlyOn,
  takeSteps,
  transactionOn,
} from "./query.ts";
import { migrate } from "./schema.ts";
import { type FullNames, IDENTITY, identityOf, inSharedSql, namesIn } from "./tables.ts";
import { insertEntries, insertRows } from "./transfer.ts";
import { watchUsers } from "./watch-users.ts";

export type { PostgresClient, PostgresPool } from "./query.ts";

/** The options of `openPostgres`. */
export type PostgresOptions = {
  /** For missing tables: create them (the default), or throw `database_missing`. */
  readonly missing?: "create" | "refuse";
} & (
  | {
      /** `postgres://user:password@host:5432/database`, several hosts separated by commas. */
      readonly url: string;
    }
  | {
      /**
       * A pool of the `pg` package with at least two connections, of which one listens for changes.
       * You must end it yourself, after closing the store.
       */
      readonly pool: PostgresPool;
    }
);

type SettledPostgresOptions = Required<Pick<PostgresOptions, "missing">> & {
  readonly url: string | undefined;
  readonly pool: PostgresPool | undefined;
};

const postgresOptions = {
  url: option<string | undefined>(undefined, "text", (url) => typeof url === "string"),
  pool: option<PostgresPool | undefined>(
    undefined,
    "a pool of the package pg",
    (pool) => typeof pool.connect === "function",
  ),
  missing: word("create", "refuse"),
};

/** The store of `openPostgres`. */
export interface PostgresStore extends Required<Store> {
  /** @internal */
  readonly setupToken: SetupTokenStore;
  /** @internal */
  readonly transfer: TransferStore;
  /** What identifies the database, or `undefined` if it does not tell. @internal */
  identity(): Promise<string | undefined>;
  close(): Promise<void>;
}

/**
 * Opens a store in a PostgreSQL database, which several instances can share. Each call returns or
 * throws an `Unavailable` within two seconds.
 *
 * @example
 * ```ts
 * const store = await openPostgres({ url });
 * const auth = createAuth({ store, secret });
 * ```
 */
export async function openPostgres(options: PostgresOptions): Promise<PostgresStore> {
  const { store, open } = preparePostgres(options);
  try {
    await open();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Until `open` has succeeded, each call of the store throws an `Unavailable`. @internal */
export interface UnopenedStore<S> {
  readonly store: S;
  /** May be called again after it has failed. */
  open(): Promise<void>;
}

/** As `openPostgres`, for a database that may not be there yet. @internal */
export function preparePostgres(options: PostgresOptions): UnopenedStore<PostgresStore> {
  const takes = "openPostgres takes an object with url, or with pool";
  const { url, pool, missing } = settle<SettledPostgresOptions>(postgresOptions, options, takes);
  if (pool !== undefined) return prepareOn(pool, missing, async () => {});
  if (url === undefined) throw new Fault("invalid_option", takes);
  const own = createPool(url);
  return prepareOn(own, missing, () => own.end());
}

function prepareOn(
  pool: PostgresPool,
  missing: SettledPostgresOptions["missing"],
  close: () => Promise<void>,
): UnopenedStore<PostgresStore> {
  const inTime = createInTime(pool);
  const ask = createAsk(inTime);
  let found: FullNames | undefined;
  const names = (): FullNames => {
    if (found === undefined) throw new DatabaseUnavailable();
    return found;
  };
  const inOne = <T>(work: (ask: Ask) => Promise<T>): Promise<T> =>
    slowlyOn(pool, (here) => work(inSharedSql(here, names)));
  const inOneStep: InOneStep = (work) =>
    inTime((free) => transactionOn(free, (here) => takeSteps(inSharedSql(here, names), work())));
  const askShared = inSharedSql(ask, names);
  const keys = new WeakMap<NewLogEntry, string>();
  const keyOf = (entry: NewLogEntry): string => {
    const key = keys.get(entry) ?? randomUUID();
    keys.set(entry, key);
    return key;
  };
  const parts = partsOn({
    ask: askShared,
    inOneStep,
    slowly: (work) => inOne((here) => takeSteps(here, work())),
    alone: (work) =>
      inOneStep(function* () {
        yield ["SELECT FROM {configured} FOR UPDATE", []];
        return yield* work();
      }),
    claimFirst: "INSERT INTO {configured} VALUES (true) ON CONFLICT DO NOTHING RETURNING yes",
    async insertEntries(entries) {
      const rows = entries.map((entry) => rowOf(tables.log, entry));
      await insertEntries(askShared, rows, entries.map(keyOf));
    },
    isTaken,
    changed: () => {},
  });
  const store: PostgresStore = {
    ...parts,
    attempts: attemptsOn(askShared),
    changes: { watch: (watching) => watchUsers(pool, watching) },
    setupToken: setupTokenOn({ ask: askShared }),
    transfer: transferOn({
      ask: (...asked) => inOne((here) => here(...asked)),
      inOneStep: inOne,
      insertRows,
      isTaken,
    }),
    identity: () => identityOf(() => ask(IDENTITY, [names().schema])),
    close,
  };
  return {
    store,
    async open() {
      found = namesIn(await migrate(pool, ask, missing));
    },
  };
}
