import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Either, rows, rowsIn, user } from "../../db/either.ts";
import { openTransaction, untilBlocked } from "../../support/postgres-admin.ts";
import { serverOfFile } from "../../support/postgres-file.ts";
import { openStoreAt } from "../../support/postgres-store.ts";
import { type Running, startLatchkey } from "../../support/process.ts";
import { newFile, openStore } from "../../support/store.ts";

const ENTRIES = 3_500;

const server = await serverOfFile();

/** A database, named as the command takes it. */
async function sqliteSide(t: TestContext): Promise<Side> {
  const file = await newFile(t);
  return { name: `sqlite:${file}`, store: await openStore(t, file) };
}

async function sides(t: TestContext, postgresIs: "source" | "target") {
  const url = await server.newDatabase();
  const sqlite = await sqliteSide(t);
  const postgres: Side = { name: url, store: await openStoreAt(t, url) };
  const [source, target] = postgresIs === "source" ? [postgres, sqlite] : [sqlite, postgres];
  const summaries = Array.from({ length: ENTRIES }, (_, i) => `é ${i}`);
  await source.store.transfer.importRows(rows([user("the only one")], summaries));
  const lock = {
    source: "LOCK TABLE latchkey_log",
    target: "UPDATE latchkey_log_end SET id = id",
  }[postgresIs];
  return {
    source,
    target,
    /** Keeps the copy waiting between its users and its log entries, until the transaction ends. */
    async hold() {
      const holding = await openTransaction(t, postgres.name);
      await holding.query(lock);
      const copying = startCopy(t, { source, target });
      await untilBlocked(postgres.name);
      return { copying, holding };
    },
  };
}

interface Side {
  readonly name: string;
  readonly store: Either;
}

interface Both {
  readonly source: Side;
  readonly target: Side;
}

const startCopy = (t: TestContext, { source, target }: Both): Running =>
  startLatchkey(t, ["copy", "--from", source.name, "--to", target.name]);

/** Nothing of the copy is there, and the same command copies everything. */
async function assertRepeatable(t: TestContext, both: Both): Promise<void> {
  const { source, target } = both;
  assert.deepEqual(await target.store.transfer.readAmounts(), { users: 0, entries: 0 });
  const { code, stdout, stderr } = await startCopy(t, both).ended;
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, new RegExp(`^Copied 1 user and ${ENTRIES} log entries from `));
  assert.deepEqual(await rowsIn(target.store), await rowsIn(source.store));
}

for (const postgresIs of ["source", "target"] as const) {
  test(`a killed copy with PostgreSQL as the ${postgresIs} can be repeated`, async (t) => {
    const both = await sides(t, postgresIs);
    const { copying, holding } = await both.hold();
    copying.child.kill("SIGKILL");
    assert.equal((await copying.ended).signal, "SIGKILL");
    await holding.end();
    await assertRepeatable(t, both);
  });

  test(`a lost ${postgresIs} is reported in one line, and leaves nothing`, async (t) => {
    const both = await sides(t, postgresIs);
    const { copying } = await both.hold();
    await server.stop("immediate");
    const { code, stdout, stderr } = await copying.ended;
    await server.start();
    assert.deepEqual([code, stdout], [1, ""]);
    const reason =
      /^latchkey: the copy stopped: the database does not answer; run the same command again: [^\n]+\n$/;
    assert.match(stderr, reason);
    await assertRepeatable(t, both);
  });
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  test(`${signal} stops a copy, which leaves nothing`, async (t) => {
    const both = await sides(t, "target");
    const { copying, holding } = await both.hold();
    copying.child.kill(signal);
    await holding.end();
    const ended = await copying.ended;
    assert.deepEqual([ended.signal, ended.stdout, ended.stderr], [signal, "", ""]);
    await assertRepeatable(t, both);
  });
}
