import "../../core/base/node-version.ts";
import { randomUUID } from "node:crypto";
import { Fault } from "../../core/base/fault.ts";
import type { NewLogEntry } from "../../core/records.ts";
import type { Store } from "../../core/store.ts";
import { tables, valuesOf } from "../../core/tables.ts";
import type { TransferStore } from "../../core/transfer/transfer-store.ts";
import { codesOn } from "../statements/codes.ts";
import { devicesOn } from "../statements/devices.ts";
import { keysOn } from "../statements/keys.ts";
import { linksOn } from "../statements/links.ts";
import { logOn } from "../statements/log.ts";
import { passkeysOn } from "../statements/passkeys.ts";
import { peopleOn } from "../statements/people.ts";
import { sessionsOn } from "../statements/sessions.ts";
import type { Ask, Database, InOneStep } from "../statements/sql.ts";
import { attemptsOn } from "./attempts.ts";
import { IDENTITY, identityOf } from "./identity.ts";
import { insertEntries } from "./log.ts";
import { createPool } from "./pool.ts";
import { createAsk, DatabaseUnavailable, type PostgresPool } from "./query.ts";
import { migrate } from "./schema.ts";
import { type FullNames, inSharedSql, namesIn } from "./tables.ts";
import { inTransaction, PAGE_WITHIN_MS, type Undo } from "./transaction.ts";
import { postgresTransfer } from "./transfer.ts";
import { isTaken, postgresUsers } from "./users.ts";
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

/** The store of `openPostgres`. */
export interface PostgresStore extends Required<Store> {
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
  if (typeof options !== "object" || options === null) {
    throw new Fault("invalid_option", "openPostgres takes an object with url, or with pool");
  }
  if ("pool" in options) return prepareOn(options.pool, options, async () => {});
  const pool = createPool(options.url);
  return prepareOn(pool, options, () => pool.end());
}

function prepareOn(
  pool: PostgresPool,
  { missing = "create" }: Pick<PostgresOptions, "missing">,
  close: () => Promise<void>,
): UnopenedStore<PostgresStore> {
  const ask = createAsk(pool);
  let found: FullNames | undefined;
  const names = (): FullNames => {
    if (found === undefined) throw new DatabaseUnavailable();
    return found;
  };
  const inOne = <T>(work: (ask: Ask, undo: Undo) => Promise<T>): Promise<T> =>
    inTransaction(pool, (here, undo) => work(inSharedSql(here, names), undo));
  const inOneStep: InOneStep = (work) =>
    inTransaction(
      pool,
      async (here) => {
        const askHere = inSharedSql(here, names);
        const steps = work();
        for (let step = steps.next(); ; ) {
          if (step.done === true) return step.value;
          step = steps.next(await askHere(...step.value));
        }
      },
      PAGE_WITHIN_MS,
    );
  const shared: Database = {
    ask: inSharedSql(ask, names),
    alone: (work) =>
      inOneStep(function* () {
        yield ["SELECT FROM {configured} FOR UPDATE", []];
        return yield* work();
      }),
    isTaken,
    changed: () => {},
  };
  const keys = new WeakMap<NewLogEntry, string>();
  const keyOf = (entry: NewLogEntry): string => {
    const key = keys.get(entry) ?? randomUUID();
    keys.set(entry, key);
    return key;
  };
  const store: PostgresStore = {
    users: postgresUsers(shared, inOne),
    log: {
      ...logOn(shared),
      insert: async (entries) => {
        const rows = entries.map((entry) => valuesOf(tables.log, entry));
        await insertEntries(shared.ask, rows, entries.map(keyOf));
      },
    },
    sessions: sessionsOn(shared),
    passkeys: passkeysOn(shared),
    codes: codesOn(shared),
    devices: devicesOn(shared),
    people: peopleOn(shared),
    links: linksOn(shared, inOneStep),
    keys: keysOn(shared),
    attempts: attemptsOn(shared.ask),
    changes: { watch: (watching) => watchUsers(pool, watching) },
    transfer: postgresTransfer(inOne),
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
