import type { TestContext } from "node:test";
import type { NewAuditEvent } from "../../../src/audit/events.ts";
import type { SqliteStore } from "../../../src/db/sqlite/store.ts";
import type { AppServices } from "../../../src/features/apps/manage-apps.ts";
import { openStore } from "../../support/store.ts";

export const NOW: number = Date.UTC(2030, 0, 1);

/** What the rules about apps need, with what they have recorded. */
export async function createAppServices(t: TestContext): Promise<
  AppServices & {
    readonly store: SqliteStore;
    /** The type and subject of each event, oldest first. */
    readonly recorded: readonly string[];
    /** Counts how often the directory was told to forget what it knows. */
    readonly forgotten: () => number;
  }
> {
  const recorded: string[] = [];
  let forgotten = 0;
  return {
    store: await openStore(t),
    clock: { now: () => NOW },
    appDirectory: {
      forget() {
        forgotten += 1;
      },
    },
    record: ({ type, subject }: NewAuditEvent) => recorded.push(`${type} ${subject}`),
    recorded,
    forgotten: () => forgotten,
  };
}
