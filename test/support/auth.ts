import type { TestContext } from "node:test";
import type { SqliteStore } from "../../src/db/sqlite/store.ts";
import type { Auth } from "../../src/index.ts";
import { type AppOptions, authWith } from "./options.ts";
import { type RecordedLine, recordingLog } from "./recording-log.ts";
import { openStore } from "./store.ts";

/** The library over a real store, without a server. */
export interface OpenedAuth {
  readonly auth: Auth;
  readonly store: SqliteStore;
  /** The server log lines of Latchkey. */
  readonly log: readonly RecordedLine[];
}

/** `changes` replace methods of the store's users. */
export async function openAuth(
  t: TestContext,
  options: Omit<AppOptions, "store"> = {},
  changes: Partial<SqliteStore["users"]> = {},
): Promise<OpenedAuth> {
  const store = await openStore(t);
  const log = recordingLog();
  const auth = authWith({
    store: { ...store, users: { ...store.users, ...changes } },
    log,
    ...options,
  });
  t.after(() => auth.close());
  return { auth, store, log: log.lines };
}
