import assert from "node:assert/strict";
import { connect, createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { eventually } from "../support/eventually.ts";
import { changeForm, OWNER, SETUP_FORM, startGate } from "../support/gate.ts";
import { listenOn } from "../support/listen.ts";
import { runSql } from "../support/postgres-admin.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { assertCount, assertWritten, visitorsAt } from "./trail.ts";

const server = await sharedPostgres();

interface Cut {
  readonly statement: string;
  made(): void;
}

/** A TCP relay to the server that can drop a connection at a chosen statement. */
async function startLine(t: TestContext) {
  const cuts: Cut[] = [];
  const listener = createServer((near) => {
    const far = connect(server.port, server.host);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      socket.on("error", () => undefined);
      socket.on("close", () => other.destroy());
    }
    carry(near, far, cuts);
  });
  const port = await listenOn(t, listener);
  return {
    through: (url: string) => url.replace(`:${server.port}/`, `:${port}/`),
    /** Drops the connection of a matching statement when its response is on the way. */
    cutAnswerTo(statement: string) {
      const { promise, resolve } = Promise.withResolvers<void>();
      cuts.push({ statement, made: resolve });
      return { done: promise };
    },
  };
}

/** The server sends the response to a statement after the commit. */
function carry(near: Socket, far: Socket, cuts: Cut[]): void {
  let due: Cut | undefined;
  near.on("data", (bytes: Buffer) => {
    const at = cuts.findIndex(({ statement }) => bytes.includes(statement));
    if (at >= 0) [due] = cuts.splice(at, 1);
    far.write(bytes);
  });
  far.on("data", (bytes: Buffer) => {
    if (due === undefined) {
      near.write(bytes);
      return;
    }
    near.destroy();
    far.destroy();
    due.made();
  });
}

test("writes log entries once and in order when a commit is not answered", async (t) => {
  const url = await server.newStoreDatabase();
  const line = await startLine(t);
  const gate = await startGate(t, { databaseUrl: line.through(url) });
  await gate.setUp();
  const visitors = await visitorsAt(gate, 3);
  const cut = line.cutAnswerTo('INSERT INTO "public".latchkey_log ');
  await visitors.tryAgain();
  await cut.done;
  await visitors.tryAgain();
  await assertCount(url, "signin_rate_limited", 2 * visitors.summaries.length);
  await assertWritten(url, [...visitors.summaries, ...visitors.summaries]);
  const failures = gate.serverLog.filter(({ msg }) => msg === "log entries not written");
  assert.equal(failures.length, 1, "the first answer was lost");
});

test("keeps the only account, without a session, when its commit is not answered", async (t) => {
  const url = await server.newStoreDatabase();
  const line = await startLine(t);
  const gate = await startGate(t, { databaseUrl: line.through(url) });
  const cut = line.cutAnswerTo("COMMIT\0");
  const { status, cookies } = await gate.send("/setup", { form: SETUP_FORM });
  await cut.done;
  assert.deepEqual([status, cookies], [503, []]);
  const again = await eventually(async () => {
    const answer = await gate.send("/setup", { form: { ...SETUP_FORM, username: "second" } });
    return answer.status === 303 ? answer : undefined;
  });
  assert.deepEqual([again.location, again.cookies], ["/login", []]);
  assert.equal((await gate.signIn()).location, "/");
  const users = await runSql(url, "SELECT username FROM latchkey_users");
  assert.deepEqual(users, [{ username: "owner" }]);
});

test("answers 503 if a commit is not answered, and one password works", async (t) => {
  const url = await server.newStoreDatabase();
  const line = await startLine(t);
  const gate = await startGate(t, { databaseUrl: line.through(url) });
  const session = await gate.setUp();
  const form = changeForm(OWNER.password, "battery staple");
  const cut = line.cutAnswerTo("COMMIT\0");
  const { status } = await gate.send("/account/password", { form, session });
  await cut.done;
  assert.equal(status, 503);
  await eventually(
    async () => (await gate.send("/account/profile", { session })).status === 200 || undefined,
  );
  const [before, after] = await Promise.all([
    gate.signIn(),
    gate.signIn({ password: "battery staple" }),
  ]);
  assert.deepEqual([before.location, after.location], ["/login?error=1", "/"]);
});
