import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Either, rows, rowsIn, user } from "../../stores/either.ts";
import { openTransaction, type Transaction, untilBlocked } from "../../support/postgres-admin.ts";
import { serverOfFile } from "../../support/postgres-file.ts";
import { openStoreAt } from "../../support/postgres-store.ts";
import { type Running, startLatchkey } from "../../support/process.ts";
import { newFile, openStore } from "../../support/store.ts";

const ENTRIES = 3_500;

const server = await serverOfFile();

interface Side {
  /** As the command takes it. */
  readonly name: string;
  readonly store: Either;
}

async function sqliteSide(t: TestContext): Promise<Side> {
  const file = await newFile(t);
  return { name: `sqlite:${file}`, store: await openStore(t, file) };
}

async function postgresSide(t: TestContext): Promise<Side> {
  const url = await server.newDatabase();
  return { name: url, store: await openStoreAt(t, url) };
}

interface Sides {
  readonly source: Side;
  readonly target: Side;
  /** Keeps the copy waiting between its users and its log entries, until the transaction ends. */
  hold(): Promise<{ readonly copying: Running; readonly holding: Transaction }>;
}

async function sides(t: TestContext, postgresIs: "source" | "target"): Promise<Sides> {
  const [sqlite, postgres] = [await sqliteSide(t), await postgresSide(t)];
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
    async hold() {
      const holding = await openTransaction(t, postgres.name);
      await holding.query(lock);
      const copying = startCopy(t, { source, target });
      await untilBlocked(postgres.name);
      return { copying, holding };
    },
  };
}

const startCopy = (t: TestContext, { source, target }: Pick<Sides, "source" | "target">): Running =>
  startLatchkey(t, ["copy", "--from", source.name, "--to", target.name]);

/** Nothing of the copy is there, and the same command copies everything. */
async function assertRepeatable(t: TestContext, both: Sides): Promise<void> {
  const { source, target } = both;
  assert.deepEqual(await target.store.transfer.readAmounts(), { users: 0, entries: 0 });
  const { code, stdout, stderr } = await startCopy(t, both).ended;
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, new RegExp(`^Copied 1 user and ${ENTRIES} log entries from `));
  assert.deepEqual(await rowsIn(target.store), await rowsIn(source.store));
}

for (const postgresIs of ["source", "target"] as const) {
  test(`a killed copy with PostgreSQL as the ${postgresIs} leaves nothing, and can be repeated`, async (t) => {
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
    assert.match(
      stderr,
      /^latchkey: the copy stopped: the database does not answer; run the same command again: [^\n]+\n$/,
    );
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
