import { openSqlite } from "../../src/db/sqlite/store.ts";
import { addApp } from "../../src/features/apps/manage-apps.ts";
import { systemClock } from "../../src/services.ts";
import type { RunningGate } from "./gate.ts";

export type AppFields = Parameters<typeof addApp>[1];

export interface RegisteredApp {
  readonly id: string;
  /** Empty if the app is a public client. */
  readonly secret: string;
}

/** Adds an app to the database of a running gate, which knows it within a second. */
export async function registerApp(
  { databaseFile }: Pick<RunningGate, "databaseFile">,
  fields: AppFields,
): Promise<RegisteredApp> {
  const store = await openSqlite({ file: databaseFile, missing: "refuse" });
  try {
    const services = { store, clock: systemClock, appDirectory: { forget() {} }, record() {} };
    const added = await addApp(services, fields);
    if (added.kind !== "added") throw new Error(added.kind);
    return { id: added.app.id, secret: added.secret ?? "" };
  } finally {
    await store.close();
  }
}
