import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { LogEntry } from "../../../src/core/log-reader.ts";
import type { StoredSession } from "../../../src/core/sessions/session-store.ts";
import type { TransferUser } from "../../../src/core/store.ts";
import { openPostgres } from "../../../src/stores/postgres/store.ts";
import { openSqlite } from "../../../src/stores/sqlite/store.ts";
import { outputOf } from "../../support/command.ts";
import { OWNER, type RunningGate, startGate } from "../../support/gate.ts";
import { sharedPostgres } from "../../support/postgres-shared.ts";
import { startLatchkey } from "../../support/process.ts";
import { logEntry } from "../../support/store.ts";
import { tempDir } from "../../support/temp-dir.ts";

const NAMES = ["owner", "Jürgen O'Neil", "カギ", "🔑 \u202eevil", "caf\u00e9", "cafe\u0301"];

const server = await sharedPostgres();

/** How the command names a database, and its gate. */
type Place = { readonly databaseUrl: string } | { readonly dataDir: string };

const nameOf = (place: Place): string =>
  "databaseUrl" in place ? place.databaseUrl : `sqlite:${join(place.dataDir, "latchkey.db")}`;

const kinds = {
  SQLite: async (t: TestContext): Promise<Place> => ({ dataDir: await tempDir(t) }),
  PostgreSQL: async (): Promise<Place> => ({ databaseUrl: await server.newDatabase() }),
};

const open = (place: Place) =>
  "databaseUrl" in place
    ? openPostgres({ url: place.databaseUrl })
    : openSqlite({ file: join(place.dataDir, "latchkey.db") });

/** The whole content of a database. */
async function contentOf(place: Place): Promise<{
  readonly users: readonly Omit<TransferUser, "sessions">[];
  readonly sessions: readonly StoredSession[];
  readonly entries: readonly LogEntry[];
}> {
  const store = await open(place);
  const all = { afterId: "", limit: 1_000 };
  const users = (await store.readUsers(all)).map(({ sessions: _, ...user }) => user);
  const sessions = await store.readSessions(all);
  const entries: LogEntry[] = [];
  for (let afterId = 0; ; afterId = entries.at(-1)?.id ?? 0) {
    const page = await store.readLogEntries({ afterId, limit: 5_000 });
    if (page.length === 0) break;
    entries.push(...page);
  }
  await store.close();
  return { users, sessions, entries };
}

/** An account from setup, one sign-in and further entries. Returns a session. */
async function fill(t: TestContext, place: Place, entries: number): Promise<string> {
  const gate = await startGate(t, place);
  const session = await gate.setUp();
  await gate.signIn();
  await gate.stop();
  const store = await open(place);
  for (let from = 0; from < entries; from += 5_000) {
    const some = Array.from({ length: Math.min(5_000, entries - from) }, (_, i) =>
      logEntry(`Signed in as ${NAMES[i % NAMES.length]}`, { at: new Date(1.7e12 + from + i) }),
    );
    await store.insertLogEntries(some);
  }
  await store.close();
  return session;
}

/** Setup stays closed, the owner's session stays valid, and the owner can sign in. */
async function assertServes(gate: RunningGate, before: string): Promise<void> {
  const setup = await gate.send("/setup");
  assert.deepEqual([setup.status, setup.location], [303, "/login"]);
  const { session } = await gate.signIn();
  for (const one of [before, session]) {
    const home = await gate.send("/", { session: one });
    assert.match(home.body, new RegExp(`Signed in as ${OWNER.username}`));
  }
  await gate.stop();
}

/** A copy between files is below. */
for (const [from, to] of [
  ["SQLite", "PostgreSQL"],
  ["PostgreSQL", "SQLite"],
] as const) {
  test(`copies everything from ${from} to ${to}, and the gate continues with it`, async (t) => {
    const [source, target] = [await kinds[from](t), await kinds[to](t)];
    const session = await fill(t, source, 1_200);
    const args = ["copy", "--from", nameOf(source), "--to", nameOf(target)];
    assert.match(
      await outputOf(args),
      /^Copied 1 user and 1202 log entries from \S+ to \S+; .*\n$/,
    );
    const content = await contentOf(target);
    assert.deepEqual(content, await contentOf(source));
    if ("dataDir" in target) {
      const { mode } = statSync(join(target.dataDir, "latchkey.db"));
      assert.equal(mode & 0o777, 0o600);
    }
    assert.equal(content.sessions.length, 2);
    await assertServes(await startGate(t, target), session);
    const [next, ...others] = (await contentOf(target)).entries.slice(content.entries.length);
    assert.deepEqual(others, []);
    assert.equal(next?.id, (content.entries.at(-1)?.id ?? 0) + 1);
    assert.equal(next?.summary, `Signed in as ${OWNER.username}`);
  });
}

test("prints the full path of a relative path and of a link's target", async (t) => {
  const [source, target] = [{ dataDir: await tempDir(t) }, await tempDir(t)];
  await fill(t, source, 0);
  await symlink("latchkey.db", join(source.dataDir, "link.db"));
  const args = ["copy", "--from", "sqlite:link.db", "--to", `sqlite:${target}/new.db`];
  const { stdout } = await startLatchkey(t, args, {}, source.dataDir).ended;
  assert.equal(
    stdout,
    `Copied 1 user and 2 log entries from sqlite:${source.dataDir}/latchkey.db to sqlite:${target}/new.db; both are the same\n`,
  );
});
