import type { App } from "../../src/db/records.ts";
import { openSqlite } from "../../src/db/sqlite/store.ts";
import type { RunningGate } from "./gate.ts";

type AppFields = Omit<App, "createdAt" | "name"> & Partial<Pick<App, "name">>;

/** Adds apps as another process does. A gate that has read its apps knows them after a second. */
export async function addApps(
  { databaseFile }: Pick<RunningGate, "databaseFile">,
  ...apps: readonly AppFields[]
): Promise<void> {
  const store = await openSqlite({ file: databaseFile });
  try {
    for (const app of apps) {
      await store.apps.insert({ name: app.id, createdAt: new Date(), ...app });
    }
  } finally {
    store.close();
  }
}

export async function removeApp(
  { databaseFile }: Pick<RunningGate, "databaseFile">,
  id: string,
): Promise<void> {
  const store = await openSqlite({ file: databaseFile });
  try {
    await store.apps.remove(id);
  } finally {
    store.close();
  }
}
