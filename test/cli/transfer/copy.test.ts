import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { parseDatabaseLocation } from "../../../src/db/location.ts";
import { openStore } from "../../../src/gate/open-store.ts";
import { rowsIn } from "../../db/either.ts";
import { outputOf } from "../../support/command.ts";
import { OWNER, type RunningGate, startConfigured, startGate } from "../../support/gate.ts";
import { sharedPostgres } from "../../support/postgres-shared.ts";
import { logEntry, newFile } from "../../support/store.ts";

const NAMES = ["owner", "Jürgen O'Neil", "カギ", "🔑 \u202eevil", "caf\u00e9", "cafe\u0301"];

const server = await sharedPostgres();

/** Names of new databases, for the command and the gate. */
const kinds = {
  SQLite: async (t: TestContext): Promise<string> => `sqlite:${await newFile(t)}`,
  PostgreSQL: (): Promise<string> => server.newDatabase(),
};

const open = (name: string) => openStore({ database: parseDatabaseLocation(name) }, "refuse");

/** The whole content of a database. */
async function contentOf(name: string) {
  await using store = await open(name);
  return await rowsIn(store);
}

/** An account from setup, one sign-in and further entries. Returns a session. */
async function fill(t: TestContext, name: string, entries: number): Promise<string> {
  const { gate, session } = await startConfigured(t, { databaseUrl: name });
  await gate.signIn();
  await gate.stop();
  await using store = await open(name);
  await store.log.insert(
    Array.from({ length: entries }, (_, i) =>
      logEntry(`Signed in as ${NAMES[i % NAMES.length]}`, { at: new Date(1.7e12 + i) }),
    ),
  );
  return session;
}

/** Setup stays closed, the owner's session stays valid, and the owner can sign in. */
async function assertServes(gate: RunningGate, before: string): Promise<void> {
  const setup = await gate.send("/setup");
  assert.deepEqual([setup.status, setup.location], [303, "/login"]);
  const { session } = await gate.signIn();
  for (const one of [before, session]) {
    const home = await gate.send("/account/profile", { session: one });
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
    const args = ["copy", "--from", source, "--to", target];
    const printed = await outputOf(args);
    const copied = /^Copied 1 user and 1202 log entries from \S+ to \S+; both are the same\n$/;
    assert.match(printed, copied);
    const content = await contentOf(target);
    assert.deepEqual(content, await contentOf(source));
    if (to === "SQLite") {
      assert.equal(statSync(target.replace("sqlite:", "")).mode & 0o777, 0o600);
    }
    assert.equal(content.sessions?.length, 2);
    await assertServes(await startGate(t, { databaseUrl: target }), session);
    const { log = [] } = await contentOf(target);
    const later = log.slice(content.log?.length).map(([id, , , summary]) => [id, summary]);
    assert.deepEqual(later, [[(content.log?.length ?? 0) + 1, `Signed in as ${OWNER.username}`]]);
  });
}
