import type { TestContext } from "node:test";
import pg from "pg";
import { openPostgres, type PostgresStore } from "../../src/stores/postgres/store.ts";
import { type RunningApp, startApp } from "../support/app.ts";
import type { Answer } from "../support/client.ts";
import { OWNER } from "../support/gate.ts";
import { type Asked, type HoldingBack, recording } from "../support/postgres-recording.ts";
import { hashText } from "../support/store.ts";

export interface Instance extends RunningApp {
  readonly store: PostgresStore;
  /** All queries of the instance. */
  readonly asked: readonly Asked[];
  /** All queries except those of the user watch. */
  questions(): readonly string[];
}

const OF_THE_WATCH = /^LISTEN|pg_notify/;

/** An app with its own cache and connections, one of several on that database. */
export async function startInstance(
  t: TestContext,
  url: string,
  holdBack?: HoldingBack,
): Promise<Instance> {
  const inner = new pg.Pool({ connectionString: url, max: 8 });
  inner.on("error", () => undefined);
  const { pool, asked } = recording(inner, holdBack);
  const store = await openPostgres({ pool });
  const app = await startApp(t, { store });
  t.after(async () => {
    await store.close();
    await inner.end();
  });
  const opening = asked.length;
  return {
    ...app,
    store,
    asked,
    questions: () =>
      asked
        .slice(opening)
        .map(({ text }) => text)
        .filter((text) => !OF_THE_WATCH.test(text)),
  };
}

/** Creates the owner without hashing a password, and returns the ID. */
export async function insertOwner(store: PostgresStore): Promise<string> {
  const user = await store.insertFirstUser({
    username: OWNER.username,
    passwordHash: hashText("a hash"),
  });
  if (user === undefined) throw new Error("an account already exists");
  return user.id;
}

/** Sends one guarded request and returns whether it was admitted. */
export async function isAdmitted(instance: Instance, session: string): Promise<boolean> {
  const { status }: Answer = await instance.send("/operation", { session });
  if (status !== 200 && status !== 303) throw new Error(`the guard answers ${status}`);
  return status === 200;
}
